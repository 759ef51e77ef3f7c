// What goes wrong in a cage stays in it: the loop goes on, or the cage says that it is dead, and the next one works.
import { Cage, expect, test } from "./harness";

const TOOLSET = {
  "tools/bad.py": `
import asyncio
import json
import sys

def loop():
    while True: pass

def memory():
    kept = []
    while True: kept.append(bytearray(1 << 28))

def many(workspace, count):
    for n in range(count): (workspace / f"{n}.txt").write_text("x")
    return {}

def trap():
    import ctypes
    ctypes.string_at(0xfffffff0, 100)
    return {}

def deep():
    def down(n): return down(n + 1)
    sys.setrecursionlimit(10**9)
    return down(0)

def exits():
    import os
    os._exit(3)

def leaves():
    json.dumps = lambda *values, **options: "patched"
    sys.modules["leftover"] = sys
    async def later():
        while True:
            await asyncio.sleep(0.01)
            open("/workspace/late.txt", "w").write("late")
            print("late")
    asyncio.ensure_future(later())
    async def dies():
        raise SystemExit(5)
    asyncio.ensure_future(dies())
    return {}

async def looks():
    await asyncio.sleep(0.05)
    return {"patched": json.dumps({}) == "patched", "leftover": "leftover" in sys.modules}

def fine():
    return {"fine": True}
`,
};

test("an endless loop ends with its frame, and the next cage works", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  let ended = false;
  const call = cage.call("tools.bad:loop").then(() => (ended = true), () => {});
  const next = await Cage.with(cages, TOOLSET);
  expect(ended).toBe(false);
  await cage.close();
  expect(await next.result("tools.bad:fine")).toEqual({ fine: true });
  expect(ended).toBe(false);
  void call;
});

for (const [name, expected] of [
  ["memory", /^MemoryError/],
  ["deep", /RecursionError|call stack/],
  ["trap", /memory access out of bounds/],
  ["exits", /./],
] as const) {
  test(`a tool that ends Python's patience gets an answer: ${name}`, async ({ cages }) => {
    const cage = await Cage.with(cages, TOOLSET);
    const returned = await cage.call(`tools.bad:${name}`);
    const message = returned.type === "failed" ? returned.message : returned.outcome.message;
    expect(message).toMatch(expected);
    // Either the cage goes on, or it has said that it is dead.
    if (returned.type === "returned") expect(await cage.result("tools.bad:fine")).toEqual({ fine: true });
  });
}

test("a hundred thousand files are too many, and are said to be", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const { outcome, changed } = await cage.call("tools.bad:many", { count: 100_000 });
  expect(outcome).toMatchObject({ failure: "too_many_files", message: expect.stringContaining("100,000 files, and it may have 20,000") });
  expect(changed).toEqual({});
});

test("what a call leaves behind meets nobody but its own cage", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const other = await Cage.with(cages, TOOLSET);
  expect(await cage.result("tools.bad:leaves")).toEqual({});
  const looks = await other.call("tools.bad:looks");
  expect(looks.outcome.value).toEqual({ patched: false, leftover: false });
  expect([looks.changed, looks.stdout]).toEqual([{}, ""]);
  // Its own cage has it all, and still works.
  const own = await cage.call("tools.bad:looks");
  expect(own.outcome.value).toEqual({ patched: true, leftover: true });
  expect(own.changed).toEqual({ "late.txt": "late" });
});

test("what is no message is dropped, and the loop goes on", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const say = (data: unknown) => cages.evaluate(([id, data]) => (globalThis as any).cagePage.raw(id, data), [cage.id, data] as const);
  for (const data of ["text", 3, null, [], ["not json"], ['{"type":"nobody","request":9}'], ['{"type":"fetched","fetch":77,"answer":{"type":"refused","message":""}}']]) {
    await say(data);
  }
  const cut = await cage.plain({ type: "materialise", remove: [], write: [{ path: "a", size: 10 }] });
  expect(cut).toMatchObject({ type: "refused", message: "the buffer ends before the file a" });
  expect(await cage.plain({ type: "evaluate", source: "1 / 0", arguments: "{}" })).toMatchObject({
    type: "raised",
    traceback: expect.stringContaining("ZeroDivisionError"),
  });
  expect(await cage.result("tools.bad:fine")).toEqual({ fine: true });
});
