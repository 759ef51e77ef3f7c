// The palette: files and tools from the composer, without a model.
import type { Page } from "@playwright/test";

import { expectSound } from "./axe";
import { expect, ready, test } from "./harness";
import { calls, execute, install, toolset, workspace } from "./toolset";

test.describe.configure({ timeout: 180_000 });

const chatOf = (page: Page) => page.url().split("/").at(-1) ?? "";

/** The messages of a chat. */
const messages = (page: Page, chat: string): Promise<any[]> =>
  page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).messages, chat);

/** R179, C59 */
test("a tool is called by its slug from the composer, and the chat begins with it", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("chat-input").pressSequentially("+write-file");
  await expect(page.getByTestId("palette-input")).toHaveValue("write-file");
  await expect(page.getByTestId("palette-input")).toBeFocused();
  await expect(page.getByTestId("palette-item-write_file")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await page.getByTestId("palette-form/path").fill("notes/first.txt");
  await page.getByTestId("palette-form/content").fill("hello\nthere");
  await page.getByTestId("palette-run").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  const chat = chatOf(page);
  await expect.poll(async () => (await messages(page, chat)).length).toBe(2);
  const [question, answer] = await messages(page, chat);
  expect(question).toMatchObject({ role: "assistant", content: "", metadata: { invoked_by: "user" } });
  expect(question.tool_calls[0].function.name).toBe("toolset__builtin__write_file");
  expect(answer).toMatchObject({ role: "tool", tool_call_id: question.tool_calls[0].id, parent_id: question.id });
  expect((await calls(page, chat))[0]).toMatchObject({ message_id: question.id, status: "success" });
  expect(await workspace(page, chat)).toEqual({ "notes/first.txt": "hello\nthere" });
  await expect(page.getByTestId("tool-call-message")).toHaveCount(1);
  await expect(page.getByTestId("chat-input"), "what is written next goes into the chat that began").toBeFocused();

  // The next goes on from there, and what it finds is what the first has left.
  await page.getByTestId("palette-trigger").click();
  await page.getByTestId("palette-input").fill("readfile");
  await page.keyboard.press("Enter");
  await page.getByTestId("palette-form/path").fill("notes/first.txt");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("tool-call-message")).toHaveCount(2);
  await expect(page.getByTestId("chat-input")).toBeFocused();
  await expect.poll(async () => (await messages(page, chat)).length).toBe(4);
  expect((await messages(page, chat))[3].content).toContain("hello");
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("tool-call-message")).toHaveCount(2);
});

/** R179, R253 */
test("the palette is walked by keys, and what was typed is never lost", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("palette-trigger").click();
  await expect(page.getByTestId("palette-attach")).toHaveAttribute("aria-selected", "true");
  await expect(page.getByTestId("palette-item-write_file")).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("palette-attach")).toHaveAttribute("aria-selected", "false");
  await page.keyboard.type("move");
  await expect(page.getByTestId("palette-item-move_file")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("palette-run")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("palette-input")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("palette")).toHaveCount(0);
  await expect(page.getByTestId("chat-input")).toBeFocused();

  // A message may begin with a plus.
  await page.keyboard.type("+1 to that");
  await expect(page.getByTestId("palette-input")).toHaveValue("1 to that");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("chat-input")).toHaveValue("+1 to that");
  await page.keyboard.type(" idea");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("message-user")).toContainText(["+1 to that idea"]);
});

/** R253 */
test("of tools that match alike, the one called or changed last comes first", async ({ page, satchel }) => {
  const source = "def report(workspace):\n    return {}\n";
  await page.goto(satchel.origin);
  await ready(page);
  for (const id of ["aaa", "bbb"]) await install(page, toolset(id, [{ name: "report", source }]));
  const first = async () => {
    await page.getByTestId("chat-input").fill("");
    await page.getByTestId("chat-input").fill("+report");
    const selected = page.locator('[data-testid^="palette-item-"][aria-selected="true"]');
    await expect(selected).toHaveCount(1);
    return selected;
  };
  await expect(await first()).toHaveAttribute("data-testid", "palette-item-bbb:report");
  await page.keyboard.press("Escape");
  expect((await execute(page, "aaa", "report")).status).toBe(200);
  const counted = () => page.evaluate(async () => (await (await fetch("/local/tools/aaa:report")).json()).metrics?.calls);
  await expect.poll(counted).toBe(1);
  await page.reload();
  await ready(page);
  await expect(await first()).toHaveAttribute("data-testid", "palette-item-aaa:report");
});

/** R180 */
test("a tool is switched off and on from the palette", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("palette-trigger").click();
  await page.getByTestId("palette-enabled-delete_file").uncheck();
  const item = page.getByTestId("palette-item-delete_file");
  const about = item.getByRole("gridcell").first();
  await expect(about).toHaveAttribute("aria-disabled", "true");
  // It can be pressed, and nothing comes of it.
  await about.click({ force: true });
  await expect(page.getByTestId("palette-run")).toHaveCount(0);
  await page.getByTestId("palette-enabled-delete_file").check();
  await expect(about).not.toHaveAttribute("aria-disabled", "true");
  await item.click();
  await expect(page.getByTestId("palette-run")).toBeVisible();
});

/** R179 */
test("files are attached from the palette", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await expect(page.getByTestId("workspace-panel")).toBeVisible();
  await page.getByTestId("palette-trigger").click();
  const choosing = page.waitForEvent("filechooser");
  await page.getByTestId("palette-attach").click();
  await (await choosing).setFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  await expect(page.getByTestId("workspace-file-a.csv")).toBeVisible();
});

/** R179, R307 */
test("a tool that asks is asked about, and a no is part of the chat", async ({ page, satchel }) => {
  const source = "def wipe(workspace):\n    return {'wiped': True}\n";
  await page.goto(satchel.origin);
  await ready(page);
  await install(page, toolset("careful", [{ name: "wipe", source, more: "    requires_confirmation: true" }]));
  await page.getByTestId("chat-input").fill("+wipe");
  await expect(page.getByTestId("palette-item-careful:wipe")).toContainText("asks first");
  await page.keyboard.press("Enter");
  await page.getByTestId("palette-run").click();
  await page.getByTestId("approval-reason").fill("not today");
  await page.getByTestId("approval-deny").click();
  await expect(page.getByTestId("tool-call-message")).toHaveCount(1);
  // Both were written at one moment, so that only the tree says which is first.
  const said = await messages(page, chatOf(page));
  const question = said.find((message) => message.role === "assistant");
  const answer = said.find((message) => message.role === "tool");
  expect(answer.parent_id).toBe(question.id);
  expect(answer.content).toContain("not today");
});

/** R179: nothing can be said between a call and its answer. */
test("while a tool runs the next message waits", async ({ page, satchel }) => {
  const source = "import time\ndef wait(workspace):\n    while True:\n        time.sleep(0.05)\n";
  await page.goto(satchel.origin);
  await ready(page);
  await install(page, toolset("slow", [{ name: "wait", source }]));
  await page.getByTestId("chat-input").fill("+wait");
  await page.getByTestId("palette-item-slow:wait").click();
  await page.getByTestId("palette-run").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  await expect(page.getByTestId("run-stop")).toBeVisible();
  await page.getByTestId("chat-input").fill("and now?");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("notice")).toContainText("still running");
  await expect(page.getByTestId("chat-input")).toHaveValue("and now?");
  await page.getByTestId("run-stop").click();
  await expect.poll(async () => (await messages(page, chatOf(page))).length).toBe(2);
  await expect(page.getByTestId("run-stop")).toHaveCount(0);
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toContainText(["and now?"]);
});

/** R314 */
for (const width of [390, 1440]) {
  test(`the palette passes axe at ${width} px, list and form, light and dark`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(satchel.origin);
    await ready(page);
    await page.getByTestId("palette-trigger").click();
    await expect(page.getByTestId("palette-item-write_file")).toBeVisible();
    await expectSound(page, "the list", "all");
    await page.getByTestId("palette-item-write_file").click();
    await expect(page.getByTestId("palette-run")).toBeVisible();
    await expectSound(page, "the form", "all");
  });
}
