// Built-in tools: called through the local API like every other tool, without Python, and switched but not changed.
import type { Page } from "@playwright/test";

import { expect, kept, ready, test } from "./harness";
import { calls, type Executed, execute, install, newChat, toolset, workspace } from "./toolset";

const built = (page: Page, chat: string, tool: string, params: object): Promise<Executed> =>
  execute(page, "builtin", tool, { chat_id: chat, params });

const switched = (page: Page, path: string, enabled: boolean): Promise<number> =>
  page.evaluate(
    async ([path, body]) => (await fetch(`/local/toolsets/builtin/${path}`, { method: "POST", body })).status,
    [path, JSON.stringify({ enabled })] as const,
  );

/** R084, R086, R198, C36 */
test("built-in tools work on the files of a chat, with no Python and no network", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await kept(page);
  await satchel.stop();
  const chat = await newChat(page);
  const call = (tool: string, params: object) => built(page, chat, tool, params);

  const written = await call("write_file", { path: "src/app.py", content: "def main():\n    return 1\n" });
  expect(written).toMatchObject({ status: 200, result: { path: "src/app.py", created: true, lines: 2 } });
  await call("write_file", { path: "data.json", content: '{"rows": [{"id": 1}, {"id": 2}]}' });
  expect((await call("list_files", {})).result.entries).toEqual([
    { path: "src", type: "folder", size: 25, files: 1 },
    { path: "data.json", type: "file", size: 32 },
  ]);
  expect((await call("read_file", { path: "src/app.py", start_line: 2 })).result.content).toBe("    return 1\n");
  expect((await call("edit_file", { path: "src/app.py", old_string: "return 1", new_string: "return 2" })).result.replacements).toBe(1);
  const patch = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,3 @@\n def main():\n+    # two\n     return 2\n";
  expect((await call("apply_patch", { patch, dry_run: true })).result.dry_run).toBe(true);
  expect((await workspace(page, chat))["src/app.py"]).toBe("def main():\n    return 2\n");
  expect((await call("apply_patch", { patch })).result.files).toEqual([{ path: "src/app.py", action: "changed", added: 1, removed: 0 }]);
  expect((await call("search_text", { pattern: "r.turn \\d", regex: true })).result.matches).toEqual([
    { path: "src/app.py", line: 3, column: 5, text: "    return 2" },
  ]);
  expect((await call("find_files", { glob: "**/*.py" })).result.files.map(({ path }: { path: string }) => path)).toEqual(["src/app.py"]);
  expect((await call("query_json", { path: "data.json", query: "$.rows[?@.id > 1]" })).result.results).toEqual([
    { at: "$['rows'][1]", value: { id: 2 } },
  ]);
  expect((await call("file_info", { path: "data.json" })).result).toMatchObject({ content: "text", size: 32 });
  await call("move_file", { from: "src/app.py", to: "app.py" });
  await call("delete_file", { path: "data.json" });
  expect(await workspace(page, chat)).toEqual({ "app.py": "def main():\n    # two\n    return 2\n" });

  // What goes wrong says what to do; what does not fit did not run.
  expect((await call("read_file", { path: "App.py" })).error).toContain('did you mean "app.py"?');
  expect(await call("read_file", {})).toMatchObject({ status: 400, error: { code: "invalid_args", path: "/path" } });

  const recorded = await calls(page, chat);
  expect(recorded).toHaveLength(15);
  for (const row of recorded) expect(row.tool_id, "the id of a built-in has no namespace").not.toContain(":");
  const read = recorded.find((row) => row.tool_id === "read_file" && row.status === "success");
  expect(read.post_manifest_id, "what changes nothing makes no state").toBe(read.pre_manifest_id);
  expect(read.render_plan).toMatchObject({ renderer: "code", config: { file: "src/app.py" } });
  await expect(page.locator("iframe"), "no cage is there").toHaveCount(0);

  const counted = () => page.evaluate(async () => (await (await fetch("/local/tools/write_file")).json()).metrics?.calls);
  await expect.poll(counted).toBe(2);
});

/** R085, R087, R088, C52, C54 */
test("the toolset that is built in can be switched, and nothing else", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const card = page.getByTestId("toolset-card-builtin");
  await expect(card).toContainText("built in");
  await expect(page.getByText("No toolsets are installed")).toBeVisible();
  await expect(card.getByRole("button")).toHaveText(["Duplicate as custom"]);
  const refused = (path: string, method: string) =>
    page.evaluate(async ([path, method]) => (await fetch(`/local/toolsets/builtin${path}`, { method })).status, [path, method] as const);
  expect([await refused("", "DELETE"), await refused("", "PUT"), await refused("/export", "GET")]).toEqual([409, 405, 409]);

  expect(await switched(page, "tools/delete_file/enable", false)).toBe(200);
  await page.getByTestId("toolset-enabled-builtin").click();
  const chat = await newChat(page);
  const list = () => built(page, chat, "list_files", {});
  await expect.poll(async () => (await list()).status).toBe(409);
  await page.reload();
  await ready(page);
  expect((await list()).error.message).toBe("list_files cannot be used: Disabled in settings");
  expect(await switched(page, "enable", true)).toBe(200);
  expect((await list()).status).toBe(200);
  expect((await built(page, chat, "delete_file", { path: "a" })).status, "its own switch has stayed").toBe(409);

  await card.getByRole("link", { name: "Details" }).click();
  await expect(page.getByTestId("toolset-details")).toContainText("search_text");
});

/** C52 */
test("built-in tools are duplicated into a toolset of one's own", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  await page.getByTestId("toolset-duplicate-builtin").click();
  const copy = page.getByTestId("toolset-card-builtin-copy");
  await expect(copy).toContainText("Built-in tools (copy)");
  await expect(copy).toContainText("made here");
  await expect(page.getByTestId("toolset-export-builtin-copy")).toBeVisible();
  const chat = await newChat(page);
  const params = { path: "a.txt", content: "one\n" };
  expect((await execute(page, "builtin-copy", "write_file", { chat_id: chat, params })).result.created).toBe(true);
  expect(await workspace(page, chat)).toEqual({ "a.txt": "one\n" });
  await expect(page.locator("iframe"), "no cage is there").toHaveCount(0);
  await page.getByTestId("toolset-uninstall-builtin-copy").click();
  await page.getByTestId("confirm-ok").click();
  await expect(copy).toHaveCount(0);
  expect((await built(page, chat, "read_file", { path: "a.txt" })).status).toBe(200);
});

/** R315 */
test("a call that a closed tab has left is ended by the next one, and not made again", async ({ page, profile, satchel }) => {
  test.setTimeout(180_000);
  await page.goto(satchel.origin);
  await ready(page);
  const forever = `
def forever(workspace):
    (workspace / "half.txt").write_text("half")
    while True:
        pass
`;
  await install(page, toolset("slow", [{ name: "forever", source: forever }]));
  const chat = await newChat(page);
  const tool_call_id = "the-call";
  void execute(page, "slow", "forever", { chat_id: chat, tool_call_id }).catch(() => {});
  const other = await profile.context!.newPage();
  await expect.poll(async () => (await calls(page, chat))[0]?.status).toBe("running");
  await other.goto(satchel.origin);
  await ready(other);
  // The other tab has seen that it runs, and waits; no matter how long that takes, it is not over.
  expect((await calls(other, chat))[0].status).toBe("running");
  await page.close();
  await expect.poll(async () => (await calls(other, chat))[0].status).toBe("error");
  expect((await calls(other, chat))[0]).toMatchObject({ error_kind: "interrupted" });
  expect(await workspace(other, chat)).toEqual({});
  const again = await execute(other, "slow", "forever", { chat_id: chat, tool_call_id });
  expect(again.error).toContain("interrupted");
  expect(await calls(other, chat)).toHaveLength(1);
});
