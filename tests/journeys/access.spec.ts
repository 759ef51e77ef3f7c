// Everything can be used by whoever cannot see it, or has no mouse: axe finds nothing serious on any page, over what calls gave and over what is
// asked, wide and narrow, light and dark; and what happens by itself is read out.
//
// Pages as they are while they are empty, and dialogs, are tried where they are tested: shell, palette, search, selection, models, secrets.
import type { Locator, Page } from "@playwright/test";

import { expectSound } from "./axe";
import { connected, expect, ready } from "./harness";
import { gate, test } from "./scripted_model";
import { adopt, begin, seed } from "./seeded";
import { execute, install, newChat, toolset } from "./toolset";

const SIZES = [
  { width: 390, height: 800 },
  { width: 1440, height: 900 },
];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Runs axe over the page as it stands, or a part of it, at both widths, light and dark. */
async function expectAccessible(page: Page, what: string, part: Locator = page.locator("html")): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await part.scrollIntoViewIfNeeded();
    await expectSound(page, `${what}, ${size.width} px wide`, "serious", part);
  }
}

/** R314 */
test("every page passes axe with something on it", async ({ page, satchel }) => {
  test.setTimeout(240_000);
  await page.goto(satchel.address);
  await connected(page);
  const source = "def count(workspace, text='a'):\n    return {'letters': len(text)}\n";
  const more = "    category: text\n    requires_confirmation: true";
  await install(page, toolset("reader", [{ name: "count", source, more }], 'network: {hosts: ["api.example.com"]}'));
  const chat = await newChat(page);
  await page.evaluate((chat) => fetch(`/local/chats/${chat}/workspace/files/notes/a.md`, { method: "PUT", body: "# A" }), chat);
  const paths = ["/ui/chat", `/ui/chat/${chat}`, "/ui/toolsets", "/ui/toolsets/reader", "/ui/servers", "/ui/tools", "/ui/tools/reader:count", "/ui/settings", "/ui/nowhere"];
  for (const path of paths) {
    await page.goto(satchel.origin + path);
    await ready(page);
    await expect(page.getByText("Loading…")).toHaveCount(0);
    await expectAccessible(page, path);
  }
});

/** R314 */
test("what calls gave passes axe, closed and open", async ({ page, satchel }) => {
  test.setTimeout(240_000);
  await page.goto(satchel.origin);
  await ready(page);
  const chat = await begin(page);
  const plan = (renderer: string, config: object) => ({ result: {}, render_plan: { renderer, config } });
  const rows = Array.from({ length: 300 }, (_, n) => ({ id: n, name: `row ${n}`, on: n % 2 === 0 }));
  const calls: [string, string, object][] = [
    ["bash", "renderer-terminal", { args: { command: "make" }, result: { stdout: `\u001b[32mok\u001b[0m \u001b[31mno\u001b[0m\n${"line\n".repeat(80)}`, stderr: "warning\n", exit_code: 2 } }],
    ["edit_file", "renderer-diff", { args: { path: "x.py", old_string: "a = 1\n", new_string: "a = 2\n" }, result: { ok: true } }],
    ["diff", "renderer-patch", { result: { diff: "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n" } }],
    ["query", "renderer-table", { result: { rows, total: 300 } }],
    ["plot", "renderer-image", { result: { image: `data:image/png;base64,${PNG}` } }],
    ["info", "renderer-key-value", { result: { name: "x", size: 3, ok: true } }],
    ["odd", "renderer-json", { result: { a: [1, 2, { b: "c" }] } }],
    ["strange", "renderer-note", { result: { a: 1 }, render_plan: { renderer: "hologram", config: {} } }],
    ["broken", "renderer-error", { status: "error", error: "ValueError: no", error_kind: "failed", traceback: '  File "tools/a.py", line 2' }],
    ["source", "renderer-code", plan("code", { content: "def one():\n    # a comment\n    return 'text'\n", language: "python" })],
    ["notes", "renderer-document", plan("document", { content: "# Notes\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n" })],
    ["address", "renderer-frame", plan("frame", { url: "http://localhost:1/page" })],
  ];
  await seed(page, chat, calls.map(([tool, , fields]) => ({ tool_id: `any:${tool}`, ...fields })));
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("tool-call-message")).toHaveCount(calls.length);
  await expectAccessible(page, "calls as they come");

  await page.setViewportSize(SIZES[1]);
  for (const [tool, testId] of calls) {
    const name = page.locator(".tool-call-name", { hasText: new RegExp(`^${tool}$`) });
    const card = page.getByTestId("tool-call-message").filter({ has: name });
    if ((await card.getByTestId("tool-call-details").count()) === 0) await card.getByTestId("tool-call-expand").click();
    await expect(card.getByTestId(testId).first()).toBeVisible();
    await expectAccessible(page, `${tool}, open`, card);
    await card.getByTestId("tool-call-expand").click();
  }
});

/** R314, R197: a question takes the focus, can be answered by keyboard alone, and gives the focus back. */
test("what is asked passes axe, and is answered by keyboard", async ({ page, satchel }) => {
  test.setTimeout(240_000);
  await page.goto(satchel.origin);
  await ready(page);
  const wipe = "def wipe(workspace, what='all'):\n    return {'wiped': what}\n";
  const fetch = "from pyodide.http import pyfetch\n\nasync def fetch(workspace):\n    try:\n        await pyfetch('https://api.example.com/')\n    except Exception as error:\n        return {'refused': str(error)}\n    return {}\n";
  const tools = [{ name: "wipe", source: wipe, more: "    requires_confirmation: true" }, { name: "fetch", source: fetch }];
  await install(page, toolset("asks", tools, 'network: {hosts: ["api.example.com"]}'));
  const chat = await newChat(page);
  await page.getByTestId("chat-input").focus();

  const approval = execute(page, "asks", "wipe", { chat_id: chat, params: { what: "all of it" }, ask: true });
  await expect(page.getByTestId("approval-request")).toBeVisible();
  await expectAccessible(page, "an approval");
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await page.getByRole("dialog").evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);
  await page.getByTestId("approval-once").focus();
  await page.keyboard.press("Enter");
  expect((await approval).result).toEqual({ wiped: "all of it" });
  await expect(page.getByTestId("chat-input")).toBeFocused();

  const host = execute(page, "asks", "fetch", { chat_id: chat });
  await expect(page.getByTestId("host-grant")).toBeVisible();
  await expectAccessible(page, "the question for a host");
  await page.getByTestId("host-grant-deny").focus();
  await page.keyboard.press("Enter");
  expect((await host).result.refused).toContain("api.example.com");
});

/** R314, R195: each part of an answer is read out once, when it is whole, and not letter by letter. */
test("an answer is announced politely as it comes, and so is what a tool writes", async ({ page, satchel, model }) => {
  test.setTimeout(240_000);
  const [middle, end] = [gate(), gate()];
  model.script = () => [
    { text: "The first paragraph.\n\nThe second one\nis not" },
    { wait: middle.opened },
    { text: " over yet.\n\nThe third\nends" },
    { wait: end.opened },
    { text: " it." },
    { finish: "stop" },
  ];
  await page.goto(satchel.address);
  await connected(page);
  await page.getByTestId("chat-input").fill("Tell me");
  await page.getByTestId("send-button").click();
  const coming = page.getByTestId("answer-coming");
  const live = page.getByTestId("answer-read-out");
  await expect(live).toHaveAttribute("aria-live", "polite");
  await expect(coming).toContainText("is not");
  // A paragraph is known to be over once the first line of the next is.
  await expect(live.locator("p")).toHaveText(["The first paragraph."]);
  await expect(coming.getByRole("status")).toContainText("Answering");
  await expectAccessible(page, "an answer that is coming");
  middle.open();
  await expect(live.locator("p")).toHaveText(["The first paragraph.", "The second one is not over yet."]);
  end.open();
  await expect(coming).toBeHidden();
  await expect(page.getByTestId("message-assistant")).toContainText(["ends it."]);

  const source = "import time\n\ndef slow(workspace):\n    print('begun', flush=True)\n    for _ in range(600):\n        time.sleep(0.1)\n    return {}\n";
  await install(page, toolset("live", [{ name: "slow", source }]));
  const chat = page.url().split("/").pop() as string;
  const running = execute(page, "live", "slow", { chat_id: chat });
  await expect(page.getByTestId("run-output")).toContainText("begun");
  await adopt(page, chat);
  // The page is told by the next thing that happens in the chat.
  await page.getByTestId("chat-title").fill("Told");
  await page.keyboard.press("Tab");
  const output = page.getByTestId("tool-call-message").getByRole("log", { name: "Output" });
  await expect(output).toContainText("begun");
  await expectAccessible(page, "a call that runs");
  await page.getByTestId("run-stop").click();
  expect((await running).error).toContain("stopped");
});
