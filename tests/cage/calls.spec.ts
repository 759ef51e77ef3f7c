// Calls: from an entrypoint and arguments to a result, or to a failure that says what is wrong.
import { Cage, expect, test } from "./harness";

const TOOLSET = {
  "tools/plain.py": `
from pathlib import Path

def run(workspace, name, **kwargs):
    assert isinstance(workspace, Path) and workspace.is_absolute() and workspace.is_dir()
    return {"name": name, "cwd": str(Path.cwd()), "workspace": str(workspace), "rest": kwargs}

def anything(**kwargs):
    return {"keys": sorted(kwargs)}

def exact(first, second=2):
    return {"first": first, "second": second}

def only(first, /, *, second):
    return {"first": first, "second": second}

def same(value):
    return {"value": value, "type": type(value).__name__}

async def later(name):
    import asyncio
    await asyncio.sleep(0.01)
    return {"later": name}

async def later_and_blocking():
    from pyodide.ffi import run_sync
    import asyncio
    run_sync(asyncio.sleep(0.01))
    return {"waited": True}

def waits():
    import time
    before = time.perf_counter()
    time.sleep(0.05)
    return {"waited": time.perf_counter() - before >= 0.04}

NUMBER = 3
`,
  "tools/decorated.py": `
from satchel import get_context, tool
import covalt_toolset

@tool
def who(name: str, **kwargs):
    context = get_context()
    return {
        "name": name, "keys": sorted(kwargs), "workspace": str(context.workspace), "chat": context.chat_id,
        "toolset": context.toolset_id, "call": context.tool_call_id, "extra": context.extra,
        "same": covalt_toolset.tool is tool,
    }

@covalt_toolset.tool(name="named", description="Says where.")
def where(workspace: str):
    return {"workspace": workspace}
`,
  "tools/below/__init__.py": "",
  "tools/below/deep.py": "from .beside import word\nimport plain\n\ndef run():\n    return {'word': word, 'plain': plain.NUMBER}\n",
  "tools/below/beside.py": "word = 'beside'\n",
  "random.py": "def run():\n    import random\n    return {'ours': __name__, 'python': hasattr(random, 'randint')}\n",
  "display.py": "def run():\n    return {'module': __name__}\n",
  "runner.py": "import display\n\ndef run():\n    return {'display': callable(display.run)}\n",
  "email/send.py": "def run():\n    return {'module': __name__}\n",
};

test("functions are found, given what they ask for, and answer", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  expect(cage.ready).toMatchObject({ type: "ready", can_wait: true });
  expect(cage.ready.python).toMatch(/^3\.14\./);

  // Both contracts (R071, C34).
  expect(await cage.result("tools.plain:run", { name: "Zoë", more: [1, null] })).toEqual({
    name: "Zoë",
    cwd: "/workspace",
    workspace: "/workspace",
    rest: { more: [1, null] },
  });
  expect(await cage.result("tools.plain:anything", { a: 1 })).toEqual({ keys: ["a", "workspace"] });
  expect(await cage.result("tools.plain:exact", { first: 1 })).toEqual({ first: 1, second: 2 });
  expect(await cage.result("tools.plain:only", { first: 1, second: 2 })).toEqual({ first: 1, second: 2 });
  expect(await cage.result("tools.decorated:who", { name: "a", b: 1 })).toEqual({
    name: "a",
    keys: ["b"],
    workspace: "/workspace",
    chat: "a-chat",
    toolset: "a-toolset",
    call: "a-call",
    extra: {},
    same: true,
  });
  expect(await cage.result("tools.decorated:where", { workspace: "mine" })).toEqual({ workspace: "mine" });

  // Asynchronous ones, and waiting in those that are not.
  expect(await cage.result("tools.plain:later", { name: "b" })).toEqual({ later: "b" });
  expect(await cage.result("tools.plain:later_and_blocking")).toEqual({ waited: true });
  expect(await cage.result("tools.plain:waits")).toEqual({ waited: true });

  // From the root, else below tools/ (C33); any name is good.
  expect(await cage.result("plain:exact", { first: 1 })).toEqual({ first: 1, second: 2 });
  expect(await cage.result("below.deep:run")).toEqual({ word: "beside", plain: 3 });
  expect(await cage.result("random:run")).toEqual({ ours: "toolset_random", python: true });
  expect(await cage.result("display:run")).toEqual({ module: "display" });
  expect(await cage.result("runner:run")).toEqual({ display: true });
  expect(await cage.result("email.send:run")).toEqual({ module: "toolset_email.send" });

  // Any JSON, as it was written.
  for (const [written, type, back] of [
    ["12345678901234567890", "int", 12345678901234567890],
    ["1.0", "float", 1],
    ["null", "NoneType", null],
    ['"\\u0000\\ud83d\\ude00"', "str", "\0😀"],
    ['{"a":[{"b":false}]}', "dict", { a: [{ b: false }] }],
  ] as const) {
    expect(await cage.result("tools.plain:same", `{"value":${written}}`)).toEqual({ value: back, type });
  }
});

test("what is not there, and what does not fit, is said", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const failure = async (entrypoint: string, args: object = {}) => {
    const { outcome } = await cage.call(entrypoint, args);
    return [outcome.failure, outcome.message];
  };
  expect(await failure("tools.missing:run")).toEqual([
    "not_found",
    "there is no module 'tools.missing' in the toolset: neither tools/missing.py nor tools/tools/missing.py is there",
  ]);
  expect(await failure("json:dumps")).toEqual([
    "not_found",
    "there is no module 'json' in the toolset: neither json.py nor tools/json.py is there",
  ]);
  expect(await failure("tools.plain:missing")).toEqual(["not_found", "the module 'tools.plain' has no function 'missing'"]);
  expect(await failure("tools.plain:NUMBER")).toEqual(["not_found", "'NUMBER' in the module 'tools.plain' is no function but int"]);
  expect(await failure("tools.plain")).toEqual(["not_found", "'tools.plain' is no entrypoint: it has to be module.path:function"]);
  expect(await failure("tools.plain:exact", { third: 3 })).toEqual([
    "bad_arguments",
    "exact() cannot be called so: missing a required argument: 'first'",
  ]);
  expect(await failure("tools.plain:exact", { first: 1, third: 3 })).toEqual([
    "bad_arguments",
    "exact() cannot be called so: got an unexpected keyword argument 'third'",
  ]);
  expect(await failure("tools.plain:run", { name: "a", workspace: "/" })).toEqual([
    "bad_arguments",
    "'workspace' is no argument: the tool gets its folder under that name",
  ]);
});

test("a result that is not a JSON dict is refused with its type and place", async ({ cages }) => {
  const cage = await Cage.with(cages, {
    "tools/results.py": `
import datetime, decimal, pathlib

class Thing: pass

loop = {}
loop["me"] = loop
deep = {}
for _ in range(150):
    deep = {"in": deep}

VALUES = {
    "none": None,
    "list": [1],
    "path": {"file": pathlib.Path("/workspace/a")},
    "date": {"rows": [{"at": datetime.datetime(2026, 1, 1)}]},
    "nan": {"rows": [1.0, float("nan")]},
    "infinity": {"a": float("-inf")},
    "bytes": {"a": b"x"},
    "set": {"a": {1}},
    "thing": {"a": {"b": (Thing(),)}},
    "key": {("a", "b"): 1},
    "loop": loop,
    "deep": deep,
    "half": {"text": "\\ud83d"},
}

def run(kind):
    return VALUES[kind]

def fine():
    return {"tuple": (1, 2), 3: "key", "text": "\\U0001f600", "none": None, "big": 10**30}
`,
  });
  const message = async (kind: string) => {
    const { outcome } = await cage.call("tools.results:run", { kind });
    expect(outcome.failure).toBe("bad_result");
    return outcome.message;
  };
  expect(await message("none")).toBe("the tool returned None (nothing); it has to return a dict");
  expect(await message("list")).toBe("the tool returned a value of type list; it has to return a dict");
  expect(await message("path")).toBe("result['file'] is a value of type pathlib.PosixPath, which is not JSON; return str(path)");
  expect(await message("date")).toBe(
    "result['rows'][0]['at'] is a value of type datetime.datetime, which is not JSON; return value.isoformat()",
  );
  expect(await message("nan")).toBe("result['rows'][1] is nan, and JSON has no such number");
  expect(await message("infinity")).toBe("result['a'] is -inf, and JSON has no such number");
  expect(await message("bytes")).toContain("result['a'] is a value of type bytes, which is not JSON");
  expect(await message("set")).toContain("return list(value)");
  expect(await message("thing")).toContain("result['a']['b'][0] is a value of type tools.results.Thing");
  expect(await message("key")).toBe("a key of result is a value of type tuple; the keys of JSON are texts");
  expect(await message("loop")).toBe("result['me'] holds itself, so it has no end");
  expect(await message("deep")).toContain("is nested more than 100 deep");
  expect(await message("half")).toBe("result['text'] is a text with half a surrogate pair, which is no character");
  expect(await cage.result("tools.results:fine")).toEqual({ tuple: [1, 2], 3: "key", text: "😀", none: null, big: 1e30 });
});

test("what a tool raises is told with the frames and names of the bundle", async ({ cages }) => {
  const cage = await Cage.with(cages, {
    "tools/raises.py": `
import json
import sys
from helpers.inner import divide

def run(kind):
    if kind == "exit":
        sys.exit(3)
    if kind == "interrupt":
        raise KeyboardInterrupt
    if kind == "recursion":
        return run(kind)
    if kind == "memory":
        return {"size": len([bytearray(2**31 - 1) for _ in range(3)])}
    if kind == "json":
        return json.loads("{")
    if kind == "chain":
        try:
            divide(1, 0)
        except ZeroDivisionError as error:
            raise ValueError("two\\nlines") from error
    if kind == "group":
        raise ExceptionGroup("several", [ValueError("a"), TypeError("b")])
    if kind == "module":
        import numpy
    if kind == "hostile":
        class Hostile(Exception):
            def __str__(self):
                raise RuntimeError("no text")
        raise Hostile
    return divide(1, 0)

async def later():
    return divide(1, 0)
`,
    "tools/broken.py": "def run():\n    return {\n",
    "tools/imports.py": "import nowhere\n",
    "helpers/inner.py": "def divide(a, b):\n    return a / b\n",
  });
  const raised = async (kind: string) => (await cage.call("tools.raises:run", { kind })).outcome;
  expect(await raised("plain")).toEqual({
    type: "error",
    failure: "exception",
    message: "ZeroDivisionError: division by zero",
    traceback: `Traceback (most recent call last):
  File "tools/raises.py", line 31, in run
    return divide(1, 0)
  File "helpers/inner.py", line 2, in divide
    return a / b
           ~~^~~
ZeroDivisionError: division by zero
`,
  });
  const later = (await cage.call("tools.raises:later")).outcome;
  expect(later.traceback).toContain('File "tools/raises.py", line 34, in later\n');
  expect(later.traceback).not.toContain("_satchel");
  expect(await raised("exit")).toMatchObject({ failure: "exception", message: "SystemExit: 3" });
  expect(await raised("interrupt")).toMatchObject({ failure: "exception", message: "KeyboardInterrupt" });
  expect((await raised("recursion")).message).toMatch(/^RecursionError: maximum recursion depth exceeded/);
  expect(await raised("memory")).toMatchObject({ failure: "exception", message: "MemoryError" });
  const json = await raised("json");
  expect(json.message).toMatch(/^json.decoder.JSONDecodeError: /);
  expect(json.traceback).not.toContain("python314.zip");
  const chain = await raised("chain");
  expect(chain.message).toBe("ValueError: two");
  expect(chain.traceback).toContain("The above exception was the direct cause");
  expect((await raised("group")).traceback).toContain("| ValueError: a");
  const missing = await raised("module");
  expect(missing.message).toBe("ModuleNotFoundError: No module named 'numpy'");
  expect(missing.traceback).toContain("python_packages in toolset.yaml");
  expect(missing.traceback).not.toContain("micropip");
  expect((await raised("hostile")).message).toContain("Hostile");
  // The cage goes on after all of them.
  const broken = (await cage.call("tools.broken:run")).outcome;
  expect(broken.message).toBe("could not import tools.broken: SyntaxError: '{' was never closed (tools/broken.py, line 2)");
  expect(broken.traceback).toContain('File "tools/broken.py", line 2');
  const imports = (await cage.call("tools.imports:run")).outcome;
  expect(imports).toMatchObject({ failure: "exception", message: "could not import tools.imports: ModuleNotFoundError: No module named 'nowhere'" });
});

test("the time that is told is the function's own, and a module is imported once", async ({ cages }) => {
  const cage = await Cage.with(cages, {
    "tools/work.py":
      "import time\n\nimported = time.perf_counter()\n\ndef run():\n    end = time.perf_counter() + 0.03\n    while time.perf_counter() < end: pass\n    return {'imported': imported}\n",
  });
  const calls = [await cage.call("tools.work:run"), await cage.call("tools.work:run")];
  for (const { python_millis, millis } of calls) {
    expect(python_millis).toBeGreaterThanOrEqual(29);
    expect(python_millis).toBeLessThanOrEqual(millis);
  }
  expect(calls[1].outcome.value).toEqual(calls[0].outcome.value);
});
