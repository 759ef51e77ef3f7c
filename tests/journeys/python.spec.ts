// Python tools: they run in the cage, their files follow the chat, they can be stopped, and they meet nobody else.
import { expect, kept, ready, test } from "./harness";
import { calls, execute, install, newChat, toolset, workspace } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 180_000 });

/** R071, R072, R073, R075, R076, R198, R238 */
test("a tool runs, and its result, files and record are stored", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const write = `
def write(workspace, name, text):
    (workspace / "notes").mkdir(exist_ok=True)
    (workspace / "notes" / name).write_text(text)
    print("wrote", name)
    return {"files": sorted(str(p.relative_to(workspace)) for p in workspace.rglob("*") if p.is_file())}
`;
  const remove = `
def remove(workspace, name):
    (workspace / "notes" / name).unlink()
    return {}
`;
  await install(page, toolset("writer", [{ name: "write", source: write }, { name: "remove", source: remove }]));
  const chat = await newChat(page);
  const first = await execute(page, "writer", "write", { chat_id: chat, params: { name: "a.txt", text: "one" } });
  expect(first).toMatchObject({ status: 200, result: { files: ["notes/a.txt"] } });
  const second = await execute(page, "writer", "write", { chat_id: chat, params: { name: "b.txt", text: "two" } });
  expect(second.result).toEqual({ files: ["notes/a.txt", "notes/b.txt"] });
  await execute(page, "writer", "remove", { chat_id: chat, params: { name: "a.txt" } });
  expect(await workspace(page, chat)).toEqual({ "notes/b.txt": "two" });

  const recorded = await calls(page, chat);
  expect(recorded.map((call) => call.status)).toEqual(["success", "success", "success"]);
  expect(recorded[0]).toMatchObject({ tool_id: "writer:write", args: { name: "a.txt", text: "one" }, result: first.result });
  for (const call of recorded) {
    expect(call.started_at <= call.finished_at).toBe(true);
    expect(call.pre_manifest_id).not.toBe(call.post_manifest_id);
  }
  expect(recorded[1].pre_manifest_id).toBe(recorded[0].post_manifest_id);

  // A file that the user puts there is there for the next call.
  await page.evaluate((chat) => fetch(`/local/chats/${chat}/workspace/files/mine.txt`, { method: "PUT", body: "mine" }), chat);
  const third = await execute(page, "writer", "write", { chat_id: chat, params: { name: "c.txt", text: "three" } });
  expect(third.result).toEqual({ files: ["mine.txt", "notes/b.txt", "notes/c.txt"] });
});

/** R077 */
test("an exception is recorded with the toolset's own file names, and what it changed is kept", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = `
def fail(workspace):
    (workspace / "half.txt").write_text("half")
    inner()

def inner():
    raise ValueError("no good")
`;
  await install(page, toolset("failing", [{ name: "fail", source }]));
  const chat = await newChat(page);
  const answer = await execute(page, "failing", "fail", { chat_id: chat });
  expect(answer.error).toContain("ValueError: no good");
  const [call] = await calls(page, chat);
  expect(call).toMatchObject({ status: "error", error_kind: "failed" });
  expect(call.traceback).toContain('tools/fail.py", line 7');
  expect(call.traceback).not.toContain("pyodide");
  expect(await workspace(page, chat)).toEqual({ "half.txt": "half" });
});

/** R079, R304, F14 */
test("a run in an endless loop stops when it is told, its changes are dropped, and the next call works", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const spin = `
def spin(workspace):
    (workspace / "lost.txt").write_text("lost")
    print("spinning", flush=True)
    while True:
        pass
`;
  const well = `
def well(workspace):
    (workspace / "kept.txt").write_text("kept")
    return {"well": True}
`;
  await install(page, toolset("spinner", [{ name: "spin", source: spin }, { name: "well", source: well }]));
  const chat = await newChat(page);
  await execute(page, "spinner", "well", { chat_id: chat });
  const running = execute(page, "spinner", "spin", { chat_id: chat });
  await expect(page.getByTestId("run-output")).toHaveText("spinning");
  await page.getByTestId("run-stop").click();
  const stopped = await running;
  expect(stopped.error).toContain("dropped");
  expect((await calls(page, chat)).at(-1)).toMatchObject({ status: "error", error_kind: "cancelled" });
  expect(await workspace(page, chat)).toEqual({ "kept.txt": "kept" });
  expect((await execute(page, "spinner", "well", { chat_id: chat })).result).toEqual({ well: true });
});

/** R079 */
test("a run that takes longer than its limit is ended", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = "import time\n\ndef slow(workspace):\n    time.sleep(600)\n    return {}\n";
  await install(page, toolset("slow", [{ name: "slow", source, more: "    timeout_seconds: 1" }]));
  const chat = await newChat(page);
  const answer = await execute(page, "slow", "slow", { chat_id: chat });
  expect(answer.error).toContain("longer than 1 s");
  expect((await calls(page, chat))[0]).toMatchObject({ status: "error", error_kind: "timeout" });
});

/** R080, R303: equal module names, a patched module and a task left behind. */
test("two toolsets with equal module names never meet", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const leave = `
import asyncio, builtins, json, os, sys, js

async def leave(workspace, mark):
    """Leaves behind whatever could reach somebody else."""
    async def lurk():
        while True:
            await asyncio.sleep(0.01)
            try:
                (workspace / "haunted.txt").write_text("here")
            except BaseException:
                pass
    asyncio.ensure_future(lurk())
    json.dumps = lambda *a, **k: '{"stolen": true}'
    builtins.stolen = mark
    sys.modules["shared"] = sys
    js.stolen = mark
    os.environ["STOLEN"] = mark
    open("/tmp/stolen", "w").write(mark)
    return {"mark": mark}
`;
  const look = `
import builtins, json, os, sys, js
from pathlib import Path

def look(workspace):
    return {
        "module": Path(__file__).read_text().count("Leaves" + " behind"),
        "json": json.dumps({"a": 1}),
        "builtins": hasattr(builtins, "stolen"),
        "modules": "shared" in sys.modules,
        "js": hasattr(js, "stolen"),
        "environment": os.environ.get("STOLEN"),
        "tmp": Path("/tmp/stolen").exists(),
        "files": sorted(p.name for p in workspace.iterdir()),
        "siblings": sorted(p.name for p in Path(__file__).parent.iterdir() if p.suffix == ".py"),
    }
`;
  const clean = {
    module: 0, json: '{"a": 1}', builtins: false, modules: false, js: false, environment: null, tmp: false,
  };
  // Both have a module called tools.same.
  await install(page, toolset("one", [{ name: "same", source: leave.replace("async def leave", "async def same") }]));
  await install(page, toolset("two", [{ name: "same", source: look.replace("def look", "def same") }]));
  const chat = await newChat(page);
  expect((await execute(page, "one", "same", { chat_id: chat, params: { mark: "m" } })).result).toEqual({ mark: "m" });
  const seen = await execute(page, "two", "same", { chat_id: chat });
  expect(seen.result).toEqual({ ...clean, files: [], siblings: ["same.py"] });
  // Neither in another chat does the first one meet itself.
  const other = await newChat(page);
  await execute(page, "one", "same", { chat_id: other, params: { mark: "other" } });
  expect(Object.keys(await workspace(page, chat))).not.toContain("haunted.txt");
});

/** R070, R073, R255, C47 */
test("what cannot be called says why", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = "def wrong(workspace):\n    return [1, 2]\n";
  const yaml = toolset("odd", [
    { name: "wrong", source },
    { name: "typed", source: "def typed(workspace, n):\n    return {'n': n}\n" },
    { name: "absent", source: "" },
  ]);
  await install(page, yaml);
  const chat = await newChat(page);
  expect((await execute(page, "odd", "wrong", { chat_id: chat })).error).toContain("list");
  expect((await execute(page, "odd", "absent", { chat_id: chat })).error).toContain("absent");
  const unfit = await execute(page, "odd", "typed", { chat_id: chat });
  expect(unfit).toMatchObject({ status: 400, error: { code: "invalid_args" } });
  expect(unfit.error.message).toContain("n");
  expect((await execute(page, "odd", "nothing", { chat_id: chat })).status).toBe(404);
});

/** R081, R305 */
test("assets are readable, the toolset's own files are not writable, and what is displayed is kept", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = `
from pathlib import Path
import satchel

def assets(workspace):
    root = Path(__file__).parent.parent
    try:
        (root / "tools" / "assets.py").write_text("evil")
        wrote = True
    except OSError:
        wrote = False
    satchel.display(satchel.Html("<b>bold</b>"))
    return {"data": (root / "assets" / "data.txt").read_text(), "wrote": wrote}
`;
  await install(page, toolset("assets", [{ name: "assets", source }], "", [{ path: "assets/data.txt", text: "asset" }]));
  const chat = await newChat(page);
  const answer = await execute(page, "assets", "assets", { chat_id: chat });
  expect(answer.result).toEqual({ data: "asset", wrote: false });
  expect((await calls(page, chat))[0].displays).toHaveLength(1);
});

/** R078: a page that ran the tool itself would never draw again. */
test("the page stays responsive while a tool computes", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = "def busy(workspace):\n    print('busy', flush=True)\n    while True:\n        pass\n";
  await install(page, toolset("busy", [{ name: "busy", source }]));
  const running = execute(page, "busy", "busy");
  await expect(page.getByTestId("run-output")).toHaveText("busy");
  await page.getByTestId("chat-input").fill("Still here");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toContainText(["Still here"]);
  await page.getByTestId("run-stop").click();
  expect((await running).error).toContain("stopped");
});

test("Settings says which cages there are, and what each does", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  await expect(page.getByText("Python is not loaded now")).toBeVisible();
  const spin = "def spin(workspace):\n    print('spinning', flush=True)\n    while True:\n        pass\n";
  const well = "def well(workspace):\n    return {}\n";
  await install(page, toolset("seen", [{ name: "spin", source: spin }, { name: "well", source: well }]));
  const chat = await newChat(page);
  const cage = (state: string) => page.getByTestId("cages").locator(`[data-testid=cage][data-state=${state}]`);

  expect((await execute(page, "seen", "well", { chat_id: chat })).status).toBe(200);
  await expect(cage("Waiting")).toContainText("seen");
  await expect(cage("Ready")).toContainText("spare");
  const running = execute(page, "seen", "spin", { chat_id: chat });
  await expect(cage("Running")).toContainText("seen");
  await expect(cage("Waiting")).toHaveCount(0);
  await page.getByTestId("run-stop").click();
  expect((await running).error).toContain("stopped");
  // The cage that was stopped is gone, and there is a spare one for the next call.
  await expect(cage("Running")).toHaveCount(0);
  await expect(cage("Ready")).toContainText("spare");
});

/** R082, F13: the server's process is stopped, the browser cold. */
test("after one visit a Python tool runs with the server stopped and the browser cold", async ({ page, profile, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const source = `
def count(workspace, text):
    (workspace / "out.txt").write_text(text.upper())
    return {"letters": len(text)}
`;
  await install(page, toolset("counter", [{ name: "count", source }]));
  const chat = await newChat(page);
  await kept(page);
  await profile.close();
  await satchel.stop();

  const cold = await profile.open();
  await cold.goto(`${satchel.origin}/ui/chat/${chat}`);
  await ready(cold);
  const answer = await execute(cold, "counter", "count", { chat_id: chat, params: { text: "satchel" } });
  expect(answer).toMatchObject({ status: 200, result: { letters: 7 } });
  expect(await workspace(cold, chat)).toEqual({ "out.txt": "SATCHEL" });
  expect((await calls(cold, chat))[0]).toMatchObject({ tool_id: "counter:count", status: "success" });
});
