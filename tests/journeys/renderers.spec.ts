// What calls gave, drawn in the conversation: every renderer, from records alone, after a reload and on an old branch as it was then.
import { createHash } from "node:crypto";

import type { Locator, Page } from "@playwright/test";

import { card } from "./conversation";
import { expect, ready, test } from "./harness";
import { adopt, begin, seed, type SeededCall } from "./seeded";
import { execute, install, toolset, type ToolSource } from "./toolset";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Opens the app with a chat that has these calls. */
async function opened(page: Page, origin: string, calls: SeededCall[], contents: string[] = []): Promise<string> {
  await page.goto(origin);
  await ready(page);
  const chat = await begin(page);
  await seed(page, chat, calls, contents);
  await page.reload();
  await ready(page);
  return chat;
}

/** Opens the app with a chat in which a tool was called once. */
async function called(page: Page, origin: string, id: string, tool: ToolSource): Promise<string> {
  await page.goto(origin);
  await ready(page);
  await install(page, toolset(id, [tool]));
  const chat = await begin(page);
  expect((await execute(page, id, tool.name, { chat_id: chat })).error).toBeUndefined();
  await adopt(page, chat);
  await page.reload();
  await ready(page);
  return chat;
}

/** What a call shows, scrolled to: what is out of sight is not drawn, and a chat that opens goes to its end once more than one can see. */
async function inSight(page: Page, name: string, testId: string): Promise<Locator> {
  const call = card(page, name).first();
  const view = call.getByTestId(testId);
  await expect(async () => {
    await call.scrollIntoViewIfNeeded();
    await expect(view).toBeVisible({ timeout: 2_000 });
  }).toPass();
  return view;
}

/** The bytes of a file of a chat, in hex. */
const bytesOf = (page: Page, chat: string, path: string): Promise<string> =>
  page.evaluate(async ([chat, path]) => {
    const bytes = new Uint8Array(await (await fetch(`/local/chats/${chat}/workspace/files/${path}`)).arrayBuffer());
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }, [chat, path] as const);

/** Has the page learn of what happened behind its back. */
async function told(page: Page, title = "Told"): Promise<void> {
  await page.getByTestId("chat-title").fill(title);
  await page.keyboard.press("Tab");
}

/** What every view can do: fill the window and come back, and be copied. */
async function expectTools(page: Page, view: Locator, what: string): Promise<void> {
  await view.getByTestId("renderer-full").click();
  await expect.poll(async () => (await view.boundingBox())?.width, what).toBe(1440);
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await view.boundingBox())?.width, what).toBeLessThan(900);
  await page.evaluate(() => navigator.clipboard.writeText("nothing yet"));
  await view.getByTestId("renderer-copy").click();
  const onClipboard = () =>
    page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const text = item.types.includes("text/plain") ? await (await item.getType("text/plain")).text() : "";
      return text === "nothing yet" ? "" : item.types.join() + text;
    });
  await expect.poll(onClipboard, what).not.toBe("");
}

/** Goes to the file that a view shows. */
async function expectOpens(page: Page, view: Locator, path: string): Promise<void> {
  await view.getByTestId("open-in-workspace").click();
  await expect(page.getByTestId("workspace-panel").locator(".file-name")).toHaveText(path);
}

/** R200, R201, R202, R203, R204, R205 */
test("a call is a line that opens, and what the tool said is no message", async ({ page, satchel }) => {
  await opened(page, satchel.origin, [
    { tool_id: "my-toolset:count", args: { text: "a b" }, result: { words: 2, nested: { a: [1, { b: null }] } } },
    { tool_id: "my-toolset:break_it", args: {}, status: "error", error: "ValueError: no", error_kind: "failed", traceback: "  File \"tools/a.py\", line 2" },
    { tool_id: "my-toolset:wait", args: { seconds: 9 }, status: "running" },
  ]);
  await expect(page.getByTestId("tool-call-message")).toHaveCount(3);
  await expect(page.getByTestId("message-tool")).toHaveCount(0);
  await expect(page.getByTestId("message-assistant")).toHaveCount(3);

  const done = card(page, "count");
  await expect(done).toContainText("my-toolset");
  await expect(done.getByTestId("tool-call-status")).toHaveText("Completed");
  await expect(done.getByTestId("tool-call-status")).toHaveAttribute("data-kind", "good");
  await expect(done.getByTestId("tool-call-details")).toHaveCount(0);
  await done.getByTestId("tool-call-expand").click();
  await expect(done.getByTestId("tool-call-arguments")).toHaveText('{\n  "text": "a b"\n}');
  const tree = done.getByTestId("renderer-json");
  await expect(tree).toContainText("words");
  await expect(tree).not.toContainText("null");
  for (const branch of ["nested", "[2]", "1{1}"]) await tree.locator(".json-toggle").filter({ hasText: branch }).last().click();
  await expect(tree).toContainText("null");
  await done.getByTestId("tool-call-expand").click();
  await expect(done.getByTestId("tool-call-details")).toHaveCount(0);

  const failed = card(page, "break_it");
  await expect(failed.getByTestId("tool-call-status")).toHaveText("Error");
  await expect(failed.getByTestId("tool-call-status")).toHaveAttribute("data-kind", "bad");
  await expect(failed).toContainText("ValueError: no");
  await failed.getByTestId("tool-call-expand").click();
  await expect(failed.getByTestId("renderer-error")).toContainText("tools/a.py");
});

/** R203 */
test("a call is open while it runs and closes after", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = `
import time
from satchel import display, Html

def slow(workspace):
    print("begun")
    display(Html("<p id=figure>a figure</p>"))
    for _ in range(600):
        if (workspace / "never").exists():
            break
        time.sleep(0.05)
    return {"done": True}
`;
  await install(page, toolset("live", [{ name: "slow", source }]));
  const chat = await begin(page);
  const running = execute(page, "live", "slow", { chat_id: chat });
  await expect(page.getByTestId("run-output")).toContainText("begun");
  // R305: what it shows is seen while it runs.
  await expect(page.locator(".run-displays").getByTestId("renderer-html")).toBeVisible();
  await adopt(page, chat);
  // The page is told by the next thing that happens in the chat.
  await page.getByTestId("chat-title").fill("Told");
  await page.keyboard.press("Tab");
  const call = card(page, "slow");
  await expect(call.getByTestId("tool-call-status")).toHaveText("Calling...");
  await expect(call.getByTestId("tool-call-status")).toHaveAttribute("data-kind", "caution");
  await expect(call.locator(".spinner")).toBeVisible();
  await expect(call.getByTestId("tool-call-details")).toBeVisible();
  await expect(call.getByTestId("call-output")).toContainText("begun");
  await page.getByTestId("run-stop").click();
  expect((await running).error).toBeTruthy();
  await expect(call.getByTestId("tool-call-details")).toHaveCount(0);
});

/** R206, R207, R209, R210, R211, R213, R215, R216, R217, R218 */
test("every declared renderer draws what its call left, after a reload and without running anything", async ({ page, satchel, profile }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const write = (name: string, file: string, text: string) => ({
    name,
    source: `def ${name}(workspace, text=${JSON.stringify(text)}):\n    (workspace / "${file}").parent.mkdir(exist_ok=True)\n    (workspace / "${file}").write_text(text)\n    return {"path": "${file}", "title": "Results", "rows": [1, 2, 3]}\n`,
  });
  const renderer = (yaml: string) => `    renderer: ${yaml}`;
  await install(
    page,
    toolset(
      "views",
      [
        { ...write("code", "src/a.py", "def one():\n    return 1\n"), more: renderer('{type: code, file: "$return.path", language: auto, editable: true}') },
        { ...write("document", "notes.md", "# Notes\n\n- [x] done\n\n![tracker](http://127.0.0.1:9/t.png)\n\n<b>raw</b>\n"), more: renderer('{type: document, file: "$return.path"}') },
        { ...write("html", "data.txt", "x"), more: renderer('{type: html, artifact: pages/results.html, data: "$return"}') },
        { ...write("preview", "site/index.html", "<!doctype html><link rel=stylesheet href=look.css><h1>Preview</h1>"), more: renderer('{type: frame, url: "workspace:$return.path"}') },
        { ...write("frame", "b.txt", "x"), more: renderer('{type: frame, url: "http://localhost:1/$return.title"}') },
        { ...write("broken", "c.txt", "x"), more: renderer('{type: code, content: "$return.missing"}') },
      ],
      "",
      [
        { path: "pages/results.html", text: '<!doctype html><head><link rel="stylesheet" href="look.css"><script src="draw.js"></script></head><body><h1 id="t"></h1><img id="dot" src="../dot.png"><script>draw()</script></body>' },
        { path: "pages/draw.js", text: 'function draw() { document.getElementById("t").textContent = window.__TOOL_DATA__.title + " " + window.__TOOL_DATA__.rows.length; }' },
        { path: "pages/look.css", text: "h1 { color: rgb(1, 2, 3) }" },
        { path: "dot.png", text: Buffer.from(PNG, "base64") },
      ],
    ),
  );
  const chat = await begin(page);
  for (const tool of ["code", "document", "html", "preview", "frame", "broken"]) {
    expect((await execute(page, "views", tool, { chat_id: chat })).error, tool).toBeUndefined();
  }
  await adopt(page, chat);
  // Uninstalled and reloaded: what is drawn is what was kept with the calls.
  await page.evaluate(() => fetch("/local/toolsets/views", { method: "DELETE" }));
  await page.reload();
  await ready(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  profile.requests.length = 0;

  const seen = (name: string, testId: string) => inSight(page, name, testId);
  const code = await seen("code", "renderer-code");
  await expect(code.locator(".cm-content")).toContainText("def one():");
  await expect(code.locator(".cm-content span").first()).toBeVisible();

  const text = await seen("document", "renderer-document");
  await expect(text.getByRole("heading", { name: "Notes", exact: true })).toBeVisible();
  await expect(text).toContainText("Picture: tracker");
  await expect(text).toContainText("<b>raw</b>");
  await expect(text.locator("img")).toHaveCount(0);

  const html = await seen("html", "renderer-html");
  const inside = html.frameLocator("iframe").frameLocator("iframe");
  await expect(inside.locator("h1")).toHaveText("Results 3");
  await expect(inside.locator("h1")).toHaveCSS("color", "rgb(1, 2, 3)");
  expect(await inside.locator("#dot").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await expect(html.getByTestId("artifact-errors")).toHaveCount(0);
  // The frame is as high as what is in it.
  const height = async () => (await html.locator("iframe").boundingBox())?.height ?? 0;
  await expect.poll(height).toBeLessThan(250);
  await inside.locator("body").evaluate((body) => {
    const more = document.createElement("div");
    more.style.height = "700px";
    body.append(more);
  });
  await expect.poll(height).toBeGreaterThan(700);

  const preview = await seen("preview", "renderer-frame");
  await expect(preview.frameLocator("iframe").frameLocator("iframe").locator("h1")).toHaveText("Preview");
  await expect(preview.getByTestId("artifact-errors")).toContainText("look.css");
  // What went wrong inside is copied with the words that a model can act on.
  await preview.getByTestId("copy-for-model").click();
  await expect(page.getByTestId("notice").filter({ hasText: "Copied." })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^The HTML artifact reported these errors when it was shown:\n(- .*look\.css.*\n)+It has no network: put everything/);

  const frame = await seen("frame", "renderer-frame");
  await expect(frame).toContainText("http://localhost:1/Results");
  await expect(frame.locator("iframe")).toHaveCount(0);
  await frame.getByTestId("frame-show").click();
  await expect(frame.locator("iframe")).toHaveAttribute("src", "http://localhost:1/Results");

  const broken = card(page, "broken").first();
  await broken.getByTestId("tool-call-expand").click();
  await expect(broken.getByTestId("renderer-json")).toBeVisible();
  await expect(broken.getByTestId("renderer-note")).toContainText("$return.missing could not be resolved");

  const asked = profile.requests.filter((address) => !address.startsWith(satchel.origin) && !/^(data|blob|about|http:\/\/localhost:1\/)/.test(address));
  expect(asked, "nothing was loaded from anywhere else").toEqual([]);

  for (const [name, testId] of [["code", "renderer-code"], ["document", "renderer-document"], ["html", "renderer-html"], ["preview", "renderer-frame"], ["frame", "renderer-frame"]]) {
    await expectTools(page, await seen(name, testId), name);
  }
  await expectOpens(page, await seen("code", "renderer-code"), "src/a.py");
  await expectOpens(page, await seen("document", "renderer-document"), "notes.md");
  await expectOpens(page, await seen("preview", "renderer-frame"), "site/index.html");
});

/** R214: edits save to the workspace; the pane and the call share one state; after a change the call still shows what it left. */
test("code is edited where it is shown, in step with the pane of files, and the call keeps what it left", async ({ page, satchel }) => {
  const source = 'def make(workspace, text="one\\n"):\n    (workspace / "a.py").write_text(text)\n    return {}\n';
  const chat = await called(page, satchel.origin, "edits", { name: "make", source, more: "    renderer: {type: code, file: a.py, editable: true}" });

  const view = card(page, "make").getByTestId("renderer-code");
  const here = view.locator(".cm-content");
  await expect(here).toHaveText("one");
  await expect(view.getByTestId("save-state")).toHaveText("Saved");
  await view.getByTestId("open-in-workspace").click();
  const there = page.getByTestId("workspace-panel").locator(".cm-content");
  await expect(there).toHaveText("one");

  await here.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("two");
  await expect(view.getByTestId("save-state")).toHaveText(/Not saved yet|Saving|Saved/);
  await page.keyboard.press("Control+s");
  await expect(view.getByTestId("save-state")).toHaveText("Saved");
  await expect(there).toHaveText("onetwo");
  await there.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("!");
  await expect(here).toHaveText("onetwo!");
  await expect(view.getByTestId("save-state")).toHaveText("Saved");
  const stored = () =>
    page.evaluate(async (chat) => (await fetch(`/local/chats/${chat}/workspace/files/a.py`)).text(), chat);
  await expect.poll(stored).toBe("one\ntwo!");

  // Another call changes it: the pane shows that, and this call what it left.
  expect((await execute(page, "edits", "make", { chat_id: chat, params: { text: "three\n" } })).error).toBeUndefined();
  await told(page);
  await expect(there).toHaveText("three");
  await expect(here).toHaveText("one");
  await expect(view.getByTestId("renderer-note")).toContainText("has changed since");
  await view.getByTestId("edit-now").click();
  await expect(here).toHaveText("three");
  await expect(view.getByTestId("save-state")).toHaveText("Saved");

  // The same after a reload.
  await page.reload();
  await ready(page);
  await expect(here).toHaveText("one");
  await expect(view.getByTestId("renderer-note")).toContainText("has changed since");
  await view.getByTestId("edit-now").click();
  await expect(here).toHaveText("three");
});

/** R210, R214 */
test("each of several calls that wrote one file shows what it wrote, before a reload as after", async ({ page, satchel }) => {
  const source = 'def make(workspace, text="one\\n"):\n    (workspace / "a.py").write_text(text)\n    return {}\n';
  const chat = await called(page, satchel.origin, "edits", { name: "make", source, more: "    renderer: {type: code, file: a.py, editable: true}" });
  const views = page.getByTestId("renderer-code");
  const texts = () => views.locator(".cm-content").allInnerTexts();
  await expect(views.getByTestId("save-state")).toHaveText("Saved");
  const write = async (text: string) =>
    expect((await execute(page, "edits", "make", { chat_id: chat, params: { text } })).error).toBeUndefined();
  const soFar = async () => (await texts()).map((text) => text.trim());
  await write("two\n");
  await told(page, "The second");
  await expect(page.getByTestId("edit-now")).toHaveCount(1);
  await expect.poll(soFar).toEqual(["one"]);

  await adopt(page, chat);
  await page.reload();
  await ready(page);
  await expect.poll(soFar).toEqual(["one", "two"]);
  await expect(page.getByTestId("edit-now")).toHaveCount(1);
  await write("three\n");
  await told(page, "The third");
  await expect(page.getByTestId("edit-now")).toHaveCount(2);
  await expect.poll(soFar).toEqual(["one", "two"]);
});

/** R214: nothing is written back that could not be read. */
test("a file that is not in UTF-8, or too large, is shown where its call stands and not edited there", async ({ page, satchel }) => {
  const source = `
def latin(workspace):
    (workspace / "latin.txt").write_bytes(b"caf\\xe9\\r\\n")
    return {}

def note(workspace):
    (workspace / "latin.md").write_bytes(b"# Caf\\xe9\\n")
    return {}

def large(workspace):
    (workspace / "large.txt").write_text("a line of text\\n" * 140_000)
    return {}
`;
  await page.goto(satchel.origin);
  await ready(page);
  const editable = (type: string, file: string) => `    renderer: {type: ${type}, file: ${file}, editable: true}`;
  await install(page, toolset("odd", [
    { name: "latin", source, more: editable("code", "latin.txt") },
    { name: "note", source, more: editable("document", "latin.md") },
    { name: "large", source, more: editable("code", "large.txt") },
  ]));
  const chat = await begin(page);
  for (const tool of ["latin", "note", "large"]) expect((await execute(page, "odd", tool, { chat_id: chat })).error).toBeUndefined();
  await adopt(page, chat);
  await page.reload();
  await ready(page);

  const latin = await inSight(page, "latin", "renderer-code");
  await expect(latin.getByTestId("renderer-note")).toContainText("not in UTF-8");
  await expect(latin.locator(".cm-content")).toHaveText("caf\ufffd");
  await expect(latin.locator(".cm-content")).toHaveAttribute("contenteditable", "false");
  await latin.locator(".cm-content").click();
  await page.keyboard.type("x");
  await page.keyboard.press("Control+s");
  const note = await inSight(page, "note", "renderer-document");
  await expect(note.getByTestId("renderer-note")).toContainText("not in UTF-8");
  await note.getByTestId("document-both").click();
  await expect(note.locator(".cm-content")).toHaveAttribute("contenteditable", "false");
  const large = await inSight(page, "large", "renderer-code");
  await expect(large.getByTestId("renderer-note")).toContainText("too large to be edited here");
  await expect(large.locator(".cm-content")).toHaveAttribute("contenteditable", "false");
  // The pane shows its bytes.
  await expectOpens(page, latin, "latin.txt");
  await expect(page.getByTestId("hex-view")).toContainText("63 61 66 e9");
  expect(await bytesOf(page, chat, "latin.txt")).toBe("636166e90d0a");
});

/** R214, R229: line breaks are the file's. */
test("what is edited beside a call keeps its line breaks", async ({ page, satchel }) => {
  const source = 'def make(workspace):\n    (workspace / "a.txt").write_bytes(b"one\\r\\ntwo\\r\\n")\n    return {}\n';
  const chat = await called(page, satchel.origin, "breaks", { name: "make", source, more: "    renderer: {type: code, file: a.txt, editable: true}" });
  const view = card(page, "make").getByTestId("renderer-code");
  await view.getByTestId("open-in-workspace").click();
  await expect(page.getByTestId("workspace-panel").locator(".cm-content")).toHaveText("onetwo");
  await view.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("zero");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+s");
  const hex = (text: string) => Buffer.from(text).toString("hex");
  await expect.poll(() => bytesOf(page, chat, "a.txt")).toBe(hex("zero\r\none\r\ntwo\r\n"));
  // Typed in the pane, it is the same text.
  await page.getByTestId("workspace-panel").locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("! ");
  await expect.poll(() => bytesOf(page, chat, "a.txt")).toBe(hex("! zero\r\none\r\ntwo\r\n"));
});

/** R213: what a call of `read_file` told of is what is shown. */
test("a file that was read is shown as what it is, and of a part that part", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const chat = await begin(page);
  await page.evaluate(
    async ([chat, png]) => {
      const put = (path: string, body: BodyInit) => fetch(`/local/chats/${chat}/workspace/files/${path}`, { method: "PUT", body });
      await put("dot.png", Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0)));
      await put("data.bin", Uint8Array.of(0, 1, 2, 255));
      await put("long.txt", Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join(""));
    },
    [chat, PNG] as const,
  );
  for (const params of [{ path: "dot.png" }, { path: "data.bin" }, { path: "long.txt", start_line: 12, end_line: 14 }]) {
    expect((await execute(page, "builtin", "read_file", { chat_id: chat, params })).error).toBeUndefined();
  }
  await adopt(page, chat);
  await page.reload();
  await ready(page);
  const views = page.getByTestId("renderer-code");
  await expect(views).toHaveCount(3);
  await expect.poll(() => views.nth(0).locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await expect(views.nth(1).getByTestId("hex-view")).toContainText("00 01 02 ff");
  await expect(views.nth(2).locator(".renderer-title")).toHaveText("long.txt, lines 12 to 14 of 40");
  await expect(views.nth(2).locator(".cm-content")).toHaveText("line 12line 13line 14");
  await expect(views.nth(2).locator(".cm-lineNumbers")).toContainText("121314");
});

/** R214: what could not be stored is said and kept where it was typed; so is that the file is gone. */
test("a save that fails says so and loses nothing, and a file that is deleted elsewhere is said to be", async ({ page, satchel }) => {
  // From the word on, whatever writes a state of files is aborted, as a full disk would.
  await page.addInitScript(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...given: Parameters<typeof put>) {
      const request = put.apply(this, given);
      if ((globalThis as { fails?: boolean }).fails && this.name === "workspace_manifests") this.transaction.abort();
      return request;
    };
  });
  const fails = (fails: boolean) => page.evaluate((fails) => void Object.assign(globalThis, { fails }), fails);
  const source = 'def make(workspace):\n    (workspace / "a.py").write_text("one")\n    return {}\n';
  const chat = await called(page, satchel.origin, "edits", { name: "make", source, more: "    renderer: {type: code, file: a.py, editable: true}" });
  const view = card(page, "make").getByTestId("renderer-code");
  const state = view.getByTestId("save-state");
  await expect(state).toHaveText("Saved");

  await fails(true);
  await view.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" and two");
  await page.keyboard.press("Control+s");
  await expect(state).toHaveText("Not saved");
  await expect(state).toHaveAttribute("data-state", "failed");
  await expect(view.locator(".cm-content")).toHaveText("one and two");
  const stored = () => page.evaluate(async (chat) => (await fetch(`/local/chats/${chat}/workspace/files/a.py`)).text(), chat);
  expect(await stored()).toBe("one");
  await fails(false);
  await view.locator(".cm-content").click();
  await page.keyboard.press("Control+s");
  await expect(state).toHaveText("Saved");
  expect(await stored()).toBe("one and two");

  await page.evaluate((chat) => fetch(`/local/chats/${chat}/workspace/files/a.py`, { method: "DELETE" }), chat);
  await page.getByTestId("chat-title").fill("Told");
  await page.keyboard.press("Tab");
  await expect(state).toHaveText("Deleted");
  await expect(state).toHaveAttribute("data-state", "deleted");
  await expect(view.locator(".cm-content")).toHaveText("one and two");
});

/** R215 */
test("a document is edited beside what is read", async ({ page, satchel }) => {
  const source = 'def note(workspace):\n    (workspace / "n.md").write_text("# One\\n")\n    return {}\n';
  await called(page, satchel.origin, "notes", { name: "note", source, more: "    renderer: {type: document, file: n.md, editable: true}" });
  const view = page.getByTestId("renderer-document");
  await expect(view.getByRole("heading", { name: "One" })).toBeVisible();
  await view.getByTestId("document-both").click();
  await view.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("## Two");
  await expect(view.getByRole("heading", { name: "Two" })).toBeVisible();
  await expect(view.getByTestId("save-state")).toHaveText("Saved");
});

/** C19: what tools give without declaring anything. */
test("results are shown as what they plainly are", async ({ page, satchel }) => {
  const rows = Array.from({ length: 5000 }, (_, n) => ({ id: n, name: `row ${String(n).padStart(4, "0")}`, value: (n * 7919) % 5000 }));
  const patch = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old line\n+new line\n same\n";
  await opened(page, satchel.origin, [
    { tool_id: "any:bash", args: { command: "make" }, result: { stdout: "\u001b[32mok\u001b[0m\n", stderr: "warning\n", exit_code: 2 } },
    { tool_id: "any:edit_file", args: { path: "x.py", old_string: "a = 1\n", new_string: "a = 2\n" }, result: { ok: true } },
    { tool_id: "any:diff", result: { diff: patch } },
    { tool_id: "any:query", result: { rows, total: 5000 } },
    { tool_id: "any:plot", result: { image: `data:image/png;base64,${PNG}` } },
    { tool_id: "any:info", result: { name: "x", size: 3, ok: true } },
    { tool_id: "any:odd", result: { a: [1, 2, { b: "<script>alert(1)</script>" }] } },
    { tool_id: "any:strange", result: { a: 1 }, render_plan: { renderer: "hologram", config: {} } },
  ]);
  const seen = (name: string, testId: string) => inSight(page, name, testId);
  const terminal = await seen("bash", "renderer-terminal");
  await expect(terminal).toContainText("$ make");
  await expect(terminal).toContainText("exit 2");
  await expect(terminal.locator("[data-ink='2']")).toHaveText("ok");
  await expect((await seen("edit_file", "renderer-diff")).locator(".cm-deletedChunk")).toContainText("a = 1");
  await expect((await seen("diff", "renderer-patch")).locator("[data-kind=added]")).toContainText("+new line");

  const table = await seen("query", "renderer-table");
  await expect(table).toContainText("5000 rows, 3 columns");
  await expect(table).toContainText("row 0000");
  expect(await table.locator("tbody tr").count(), "only what is looked at is drawn").toBeLessThan(80);
  await table.locator(".table-view").evaluate((view) => (view.scrollTop = 4000 * 28));
  await expect(table).toContainText("row 4000");
  await table.getByRole("button", { name: "value" }).click();
  await table.getByRole("button", { name: "value" }).click();
  await table.locator(".table-view").evaluate((view) => (view.scrollTop = 0));
  await expect(table.locator("tbody tr").nth(1)).toContainText("4999");

  const picture = (await seen("plot", "renderer-image")).locator("img");
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await card(page, "info").getByTestId("tool-call-expand").click();
  await expect(card(page, "info").getByTestId("renderer-key-value")).toContainText("size");
  await card(page, "odd").getByTestId("tool-call-expand").click();
  for (const branch of ["a[3]", "2{1}"]) await card(page, "odd").locator(".json-toggle").filter({ hasText: branch }).click();
  await expect(card(page, "odd").getByTestId("renderer-json")).toContainText("<script>alert(1)</script>");
  await card(page, "strange").getByTestId("tool-call-expand").click();
  await expect(card(page, "strange").getByTestId("renderer-note")).toContainText("does not know how this result was to be shown");

  // All can fill the window, Escape brings them back, and all can be copied.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const all = [
    ["bash", "renderer-terminal"], ["edit_file", "renderer-diff"], ["diff", "renderer-patch"], ["query", "renderer-table"],
    ["plot", "renderer-image"], ["info", "renderer-key-value"], ["odd", "renderer-json"],
  ];
  for (const [name, testId] of all) await expectTools(page, await seen(name, testId), name);
  await expectOpens(page, await seen("edit_file", "renderer-diff"), "x.py");
  await (await seen("diff", "renderer-patch")).getByTestId("renderer-copy").click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(patch);
});

/** R308: a picture is copied and saved as the picture it is. */
test("a picture is copied as a picture, saved, and opened where it is a file", async ({ page, satchel }) => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><rect width="8" height="4" fill="red"/></svg>';
  const sha256 = createHash("sha256").update(drawing).digest("hex");
  const spilled = { path: ".satchel/results/x.svg", sha256, size: drawing.length, media_type: "image/svg+xml", preview: "<svg" };
  await opened(
    page,
    satchel.origin,
    [{ tool_id: "any:plot", result: { image: `data:image/png;base64,${PNG}` } }, { tool_id: "any:draw", spilled }],
    [drawing],
  );
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const sides = () =>
    page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      if (!item.types.includes("image/png")) return item.types.join();
      const picture = await createImageBitmap(await item.getType("image/png"));
      return `${picture.width} x ${picture.height}`;
    });
  for (const [name, size, saved] of [["plot", "1 x 1", "picture.png"], ["draw", "8 x 4", "picture.svg"]]) {
    const picture = await inSight(page, name, "renderer-image");
    await picture.getByTestId("renderer-copy").click();
    await expect.poll(sides).toBe(size);
    const download = page.waitForEvent("download");
    await picture.getByTestId("renderer-download").click();
    expect((await download).suggestedFilename()).toBe(saved);
  }
  await expect(card(page, "plot").getByTestId("open-in-workspace")).toHaveCount(0);
  await expectOpens(page, await inSight(page, "draw", "renderer-image"), ".satchel/results/x.svg");
});

/** R308: a hundred thousand rows are read and sorted by the core worker; the page never has the result they are in. */
test("a table that was too long for its record is read, sorted and copied without the page holding it", async ({ page, satchel }) => {
  await page.addInitScript(() => {
    const read: unknown[] = [];
    Object.assign(globalThis, { read });
    const get = IDBObjectStore.prototype.get;
    IDBObjectStore.prototype.get = function (key) {
      if (this.name === "blobs") read.push(key);
      return get.call(this, key);
    };
  });
  const count = 100_000;
  const rows = Array.from({ length: count }, (_, n) => ({ id: n, name: `row ${n}`, value: (n * 7919) % count }));
  const text = JSON.stringify({ rows, note: "beside the rows" });
  const sha256 = createHash("sha256").update(text).digest("hex");
  const spilled = { path: ".satchel/results/x.json", sha256, size: text.length, media_type: "application/json", preview: "{" };
  await opened(page, satchel.origin, [{ tool_id: "any:query", spilled }], [text]);
  const table = page.getByTestId("renderer-table");
  await expect(table).toContainText("100000 rows, 3 columns");
  await expect(table).toContainText("beside the rows");
  await expect(table.locator("tbody tr").nth(1)).toContainText("row 0");
  expect(await table.locator("tbody tr").count(), "only what is looked at is drawn").toBeLessThan(80);

  const scroll = (row: number) => table.locator(".table-view").evaluate((view, row) => (view.scrollTop = row * 28), row);
  await scroll(count);
  await expect(table.locator("tbody")).toContainText("row 99999");
  await scroll(54_321);
  await expect(table.locator("tbody")).toContainText("row 54321");
  await table.getByRole("button", { name: "value" }).click();
  await table.getByRole("button", { name: "value" }).click();
  await scroll(0);
  await expect(table.locator("tbody tr").nth(1)).toContainText("99999");
  await expect(table.locator("tbody tr").nth(2)).toContainText("99998");

  // The worker is another one after it has died, and has to read the table again.
  for (const worker of page.workers().filter((worker) => worker.url().includes("/core-worker.js"))) {
    const ended = new Promise((resolve) => worker.on("close", resolve));
    await worker.evaluate(() => self.close());
    await ended;
  }
  await scroll(50_000);
  await expect(table.locator("tbody")).toContainText("49999");

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await table.getByTestId("renderer-copy").click();
  await expect(page.getByTestId("notice").filter({ hasText: "Copied." })).toBeVisible();
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).split("\n");
  expect([lines.length, lines[0], lines[1], lines.at(-1)?.split("\t")[1]]).toEqual([count + 1, "id\tname\tvalue", "0\trow 0\t0", "row 99999"]);
  expect(await page.evaluate(() => (globalThis as unknown as { read: unknown[] }).read)).not.toContain(sha256);
});

/** R210 */
test("an old branch shows what its call left", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = 'def put(workspace, text="first\\n"):\n    (workspace / "a.txt").write_text(text)\n    return {}\n';
  await install(page, toolset("old", [{ name: "put", source, more: "    renderer: {type: code, file: a.txt}" }]));
  const chat = await begin(page);
  expect((await execute(page, "old", "put", { chat_id: chat })).error).toBeUndefined();
  await adopt(page, chat);
  expect((await execute(page, "old", "put", { chat_id: chat, params: { text: "second\n" } })).error).toBeUndefined();
  await page.reload();
  await ready(page);
  await page.getByTestId("message-edit").first().click();
  await page.getByTestId("message-edit-text").fill("Another way");
  await page.getByTestId("message-edit-save").click();
  await expect(page.getByTestId("tool-call-message")).toHaveCount(0);
  await page.getByTestId("branch-prev").click();
  await expect(page.getByTestId("renderer-code").first().locator(".cm-content")).toHaveText("first");
});

/** R305, R308 */
test("what a tool showed is kept, and a large result is seen whole", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = `
from satchel import display, Html, Markdown, Image, Table

def show(workspace):
    display(Markdown("# Found"), Table([[1, "x"]], columns=["a", "b"]), Html("<p id=p>page</p>"))
    return {}

def large(workspace):
    return {"rows": [{"n": n, "text": "x" * 40} for n in range(3000)]}
`;
  const both = [{ name: "show", source }, { name: "large", source }];
  await install(page, toolset("shows", both));
  const chat = await begin(page);
  for (const tool of ["show", "large"]) expect((await execute(page, "shows", tool, { chat_id: chat })).error).toBeUndefined();
  await adopt(page, chat);
  await page.reload();
  await ready(page);
  const shown = card(page, "show").first();
  await expect(shown.getByTestId("renderer-document")).toContainText("Found");
  await expect(shown.getByTestId("renderer-html").first().frameLocator("iframe").frameLocator("iframe").locator("table")).toContainText("x");
  await expect(shown.getByTestId("renderer-html").last().frameLocator("iframe").frameLocator("iframe").locator("#p")).toHaveText("page");
  const large = card(page, "large").getByTestId("renderer-table");
  await large.scrollIntoViewIfNeeded();
  await expect(large).toContainText("3000 rows");
  await large.getByTestId("open-in-workspace").click();
  await expect(page.getByTestId("workspace-panel").locator(".file-name")).toHaveText(/^\.satchel\/results\/.*\.json$/);
  await expect(shown.getByTestId("open-in-workspace")).toHaveCount(0);
});

/** C55 */
test("a picture that a tool wrote is shown in its frame", async ({ page, satchel }) => {
  const source = `import base64\n\ndef paint(workspace):\n    (workspace / "my dot.png").write_bytes(base64.b64decode("${PNG}"))\n    return {"path": "my dot.png"}\n`;
  await called(page, satchel.origin, "painter", { name: "paint", source, more: '    renderer: {type: frame, url: "workspace:$return.path"}' });
  const frame = await inSight(page, "paint", "renderer-frame");
  const picture = frame.frameLocator("iframe").frameLocator("iframe").getByRole("img", { name: "my dot.png" });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await expect(frame.getByTestId("artifact-errors")).toHaveCount(0);
});
