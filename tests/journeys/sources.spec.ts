// A chat by every way to a model that is not the usual one: straight from the browser, and in Anthropic's format.
import type { Page } from "@playwright/test";

import { answered, card, chatOf, offer, open, send } from "./conversation";
import { expect, kept, ready } from "./harness";
import { call, say, test, type Asked } from "./scripted_model";
import { workspace } from "./toolset";

const KEY = "sk-canary-0123456789";
const TOOLS = { builtin: ["write_file"] };
const NOTE = { path: "note.txt", content: "hi" };

/** Sets an endpoint up that the browser reaches by itself. */
async function setUp(page: Page, origin: string, address: string, format: "OpenAI" | "Anthropic", key: string): Promise<void> {
  await page.goto(`${origin}/ui/settings#models`);
  await ready(page);
  await page.getByTestId("endpoint-add").click();
  await page.getByTestId("endpoint-name").fill("straight");
  await page.getByTestId("endpoint-address").fill(address);
  await page.getByTestId("endpoint-form").getByRole("radio", { name: format }).check();
  await page.getByTestId("endpoint-key").fill(key);
  await page.getByTestId("endpoint-save").click();
  await expect(page.getByTestId("endpoint-row-straight")).toBeVisible();
  await page.goto(`${origin}/ui/chat`);
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
}

/** Has a model write a file, and tell. */
async function writeNote(page: Page): Promise<void> {
  await send(page, "Write a note.");
  await answered(page, "It is written.");
  await expect(card(page, "write_file").getByTestId("tool-call-status")).toHaveText("Completed");
  expect(await workspace(page, chatOf(page))).toEqual({ "note.txt": "hi" });
}

test.describe("straight from the browser", () => {
  /** R322 */
  test("a chat with an endpoint of one's own goes on with no server", async ({ page, profile, satchel, model }) => {
    model.script = (asked, turn) => (turn % 2 ? say("It is ", "written.") : call([asked.tools![0].function.name, NOTE]));
    await setUp(page, satchel.origin, model.baseUrl, "OpenAI", KEY);
    await offer(page, TOOLS);
    await kept(page);
    await satchel.stop();
    profile.requests.length = 0;
    await writeNote(page);
    expect(model.headers.map(({ authorization, origin }) => [authorization, origin])).toEqual([
      [`Bearer ${KEY}`, satchel.origin],
      [`Bearer ${KEY}`, satchel.origin],
    ]);
    expect(model.asked[1].messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    const elsewhere = profile.requests.filter((address) => !/^(data|blob|about):/.test(address) && ![satchel.origin, model.origin].includes(new URL(address).origin));
    expect(elsewhere, "nobody else was asked").toEqual([]);
  });

  /** R322 */
  test("a chat in Anthropic's format, with a key that stays on the device", async ({ page, satchel, model }) => {
    model.script = (asked, turn) => (turn % 2 ? say("It is ", "written.") : call([asked.tools![0].name!, NOTE]));
    await setUp(page, satchel.origin, model.origin, "Anthropic", KEY);
    await offer(page, TOOLS);
    await writeNote(page);
    for (const headers of model.headers) {
      expect(headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01", origin: satchel.origin });
    }
    expectAnthropic(model.asked);
  });
});

test.describe("through the server", () => {
  test.use({ format: "anthropic" });

  /** R260 */
  test("a chat in Anthropic's format through the server, with thoughts, a call and what it cost", async ({ page, satchel, model }) => {
    model.script = (asked, turn) =>
      turn % 2
        ? [{ reasoning: "That went well." }, ...say("It is ", "written.").slice(0, -1), { usage: { prompt_tokens: 21, completion_tokens: 34 } }, { finish: "stop" }]
        : [{ text: "I write." }, ...call([asked.tools![0].name!, NOTE])];
    await open(page, satchel.address);
    await offer(page, TOOLS);
    await expect(page.getByTestId("model-picker")).toContainText("scripted");
    await writeNote(page);
    expectAnthropic(model.asked);
    const answer = page.getByTestId("message-assistant").last();
    await expect(answer).toContainText("34 written");
    await answer.getByText("Thoughts").click();
    await expect(answer.getByTestId("answer-reasoning")).toContainText("That went well.");
    await page.reload();
    await ready(page);
    await expect(page.getByTestId("message-assistant").first()).toContainText("I write.");
    await expect(page.getByTestId("message-assistant").last()).toContainText("It is written.");
  });
});

/** The second request says what was called and what came of it, the way Anthropic wants it. */
function expectAnthropic(asked: Asked[]): void {
  expect(asked).toHaveLength(2);
  const [first, second] = asked as any[];
  expect(first).toMatchObject({ model: "scripted", stream: true, messages: [{ role: "user", content: [{ type: "text", text: "Write a note." }] }] });
  expect(first.max_tokens).toBeGreaterThan(0);
  expect(first.tools[0]).toMatchObject({ input_schema: { type: "object" } });
  expect(second.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "user"]);
  const [use] = second.messages[1].content.filter(({ type }: { type: string }) => type === "tool_use");
  expect(use).toMatchObject({ name: first.tools[0].name, input: NOTE });
  expect(second.messages[2].content[0]).toMatchObject({ type: "tool_result", tool_use_id: use.id });
}
