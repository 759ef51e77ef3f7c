// Questions in a conversation: a tool that a model calls asks where its call stands, and nowhere else while that can be seen.
import type { Page } from "@playwright/test";

import { connected, expect, ready } from "./harness";
import { McpServer } from "./mcp_server";
import { call, say, test } from "./scripted_model";
import { calls, install, toolset } from "./toolset";

test.describe.configure({ timeout: 180_000 });

const SOURCE = "def wipe(workspace, what='all'):\n    return {'wiped': what}\n";
const CAREFUL = toolset("careful", [{ name: "wipe", source: SOURCE, more: "    requires_confirmation: true" }]);

const card = (page: Page) => page.getByTestId("tool-call-message");
const chatOf = (page: Page) => page.url().split("/").at(-1) ?? "";

/** Opens a chat in which the model calls the tool that asks. */
async function asked(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await connected(page);
  await install(page, CAREFUL);
  await page.evaluate(() => localStorage.setItem("satchel-last-toolset-selection", JSON.stringify({ careful: ["wipe"] })));
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
  await page.getByTestId("chat-input").fill("Wipe it.");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("approval-request")).toBeVisible();
}

const script = (asked: { tools?: { function: { name: string } }[] }, turn: number) =>
  turn === 0 ? call([asked.tools?.[0]?.function.name ?? "none", { what: "everything" }]) : say("So be it.");

/** R197, R307, C26 */
test("a tool that a model calls asks within its call, and runs with what the user has changed", async ({ page, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  await expect(card(page).getByTestId("approval-request")).toContainText("careful:wipe");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Calling...");
  expect(await calls(page, chatOf(page))).toMatchObject([{ status: "pending", args: { what: "everything" } }]);
  // Who writes meanwhile is not disturbed.
  await page.getByTestId("chat-input").fill("While it waits");
  await expect(page.getByTestId("chat-input")).toBeFocused();

  await card(page).getByTestId("approval-arguments").fill('{"what": "a little"}');
  await card(page).getByTestId("approval-once").click();
  await expect(page.getByTestId("approval-request")).toBeHidden();
  await expect(page.getByTestId("message-assistant").last()).toContainText("So be it.");
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Completed");
  const rows = await calls(page, chatOf(page));
  expect(rows).toMatchObject([{ status: "success", args: { what: "a little" } }]);
});

/** R197, C26 */
test("a denial is told to the model, and away from the chat the question is a dialog", async ({ page, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  await page.getByRole("link", { name: "Settings" }).first().click();
  await expect(page.getByRole("dialog").getByTestId("approval-request")).toContainText("careful:wipe");
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await card(page).getByTestId("approval-reason").fill("not today");
  await card(page).getByTestId("approval-deny").click();
  await expect(page.getByTestId("message-assistant").last()).toContainText("So be it.");
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Error");
  expect(await calls(page, chatOf(page))).toMatchObject([{ status: "error", error_kind: "denied" }]);
  expect(JSON.stringify(model.asked[1].messages.at(-1))).toContain("not today");
});

/** R194, R309: a turn that was stopped at a question goes on with what became of its calls. */
test("an answer that is stopped while it asks can be continued", async ({ page, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  await page.getByTestId("stop-button").click();
  await expect(page.getByTestId("approval-request")).toHaveCount(0);
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Error");
  expect(await calls(page, chatOf(page))).toMatchObject([{ status: "error", error_kind: "cancelled" }]);
  await expect(page.getByTestId("answer-again")).toHaveText("Continue");
  await page.getByTestId("answer-again").click();
  await expect(page.getByTestId("message-assistant").last()).toContainText("So be it.");
  expect(model.asked[1].messages.at(-1)?.role).toBe("tool");
});

/** R315, C26: the other tab sees that it waits; when the tab that asks is closed, the call is ended and never made. */
test("a question whose tab is closed ends its call", async ({ page, profile, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  const other = await profile.context!.newPage();
  await other.goto(page.url());
  await ready(other);
  await expect(card(other).getByTestId("tool-call-status")).toHaveText("Calling...");
  await expect(other.getByTestId("approval-request")).toHaveCount(0);
  await page.close();
  await expect(card(other).getByTestId("tool-call-status")).toHaveText("Error");
  expect(await calls(other, chatOf(other))).toMatchObject([{ status: "error", error_kind: "interrupted" }]);
  await expect(other.getByTestId("answer-again")).toHaveText("Continue");
  expect(model.asked).toHaveLength(1);
});

test.describe("a server", () => {
  test.use({ operator: '[outbound]\nprivate_hosts = ["127.0.0.1"]\n' });

  /** R128, C26, C40: in another tab than the one that has the stream of events, of which there is one. */
  test("that asks something does so within the call that waits for it", async ({ page: first, profile, satchel, model }) => {
    const desk = await McpServer.listen([{ name: "greet", description: "Greets you", inputSchema: { type: "object", properties: {} } }]);
    desk.asks.greet = {
      message: "Who are you?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    };
    model.script = (asked, turn) => (turn === 0 ? call([asked.tools?.[0]?.function.name ?? "none", {}]) : say("Good day."));
    await first.goto(satchel.address);
    await connected(first);
    const manifest = `manifest_version: "1"\nid: desk\nname: Desk\nversion: "1.0.0"\nmcp_servers:\n  - {id: front, url: "${desk.url}"}\n`;
    await install(first, Buffer.from(manifest));
    await first.evaluate(() => fetch("/local/toolsets/desk/servers/front/enable", { method: "POST", body: '{"enabled": true}' }));
    const streams = () => profile.requests.filter((url) => url.includes("/api/v1/events")).length;
    await expect.poll(streams).toBeGreaterThan(0);
    const before = streams();
    await first.goto(`${satchel.origin}/ui/servers`);
    await expect(first.getByTestId("server-status-desk~front")).toHaveText("connected");
    await expect.poll(streams, "the page that was opened has one of its own").toBeGreaterThan(before);
    const open = streams();
    const page = await profile.context!.newPage();
    await first.evaluate(() => localStorage.setItem("satchel-last-toolset-selection", JSON.stringify({ desk: ["front:greet"] })));
    await page.goto(satchel.origin);
    await ready(page);
    await expect(page.getByTestId("model-picker")).toContainText("scripted");
    await page.getByTestId("chat-input").fill("Greet me.");
    await page.getByTestId("send-button").click();
    await card(page).getByTestId("approval-once").click();
    const form = card(page).getByTestId("input-request");
    await expect(form).toContainText("Who are you?");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(card(page).getByTestId("tool-call-status")).toHaveText("Calling...");
    await form.getByLabel("name").fill("Ada");
    await form.getByTestId("input-accept").click();
    await expect(page.getByTestId("message-assistant").last()).toContainText("Good day.");
    await expect(form).toHaveCount(0);
    await expect(card(page).getByTestId("tool-call-status")).toHaveText("Completed");
    expect(JSON.stringify(model.asked[1].messages.at(-1))).toContain("Ada");
    expect(streams(), "the other tab opens no stream of its own").toBe(open);
    await desk.close();
  });
});
