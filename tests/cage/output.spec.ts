// Output: told while the tool runs, as whole characters, up to its limit.
import { Cage, expect, test } from "./harness";

test("output comes while a function computes, and in whole characters", async ({ cages }) => {
  const cage = await Cage.with(cages, {
    "tools/talks.py": `
import logging, os, sys, time, warnings

def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end: pass

def live():
    for n in range(4):
        print("line", n)
        busy(0.2)
    return {}

def dots():
    for n in range(3):
        print(".", end="")
        busy(0.1)
    return {}

def cut():
    data = "é😀".encode() * 2
    for byte in data:
        os.write(1, bytes([byte]))
        busy(0.06)
    os.write(1, data[:1])
    return {}

def streams():
    print("out")
    print("err", file=sys.stderr)
    logging.getLogger("tool").warning("logged")
    warnings.warn("warned")
    sys.stdout.write("no newline")
    os.write(2, b"raw")
    return {}

async def sleeping():
    import asyncio
    print("one"); print("two")
    await asyncio.sleep(0.4)
    print("three")
    return {}

def asks():
    return {"name": input("name? ")}

def reads():
    return {"line": sys.stdin.readline()}

def replaced():
    import io
    sys.stdout = io.StringIO()
    print("kept by the tool")
    return {"text": sys.stdout.getvalue()}
`,
  });
  const live = await cage.call("tools.talks:live");
  expect(live.stdout).toBe("line 0\nline 1\nline 2\nline 3\n");
  expect(live.said.length).toBeGreaterThanOrEqual(4);
  expect(live.said[0].at, "the first line is there before the function has ended").toBeLessThan(live.millis - 500);

  const dots = await cage.call("tools.talks:dots");
  expect(dots.said.map(({ text }) => text)).toEqual([".", ".", "."]);

  const cut = await cage.call("tools.talks:cut");
  expect(cut.stdout).toBe("é😀é😀\ufffd");
  expect(cut.said.map(({ text }) => text)).toEqual(["é", "😀", "é", "😀", "\ufffd"]);

  const { stdout, stderr } = await cage.call("tools.talks:streams");
  expect(stdout).toBe("out\nno newline");
  expect(stderr).toContain("err\nlogged\n");
  expect(stderr).toContain("UserWarning: warned");
  expect(stderr.endsWith("raw")).toBe(true);

  const sleeping = await cage.call("tools.talks:sleeping");
  const two = sleeping.said.find(({ text }) => text!.includes("two"))!;
  expect(two.at, "what was held back goes out when the tool waits").toBeLessThan(sleeping.millis - 200);

  const asks = (await cage.call("tools.talks:asks")).outcome;
  expect(asks.message).toBe(
    "EOFError: a tool has no keyboard: input() cannot be answered, so take the value as an argument of the tool",
  );
  expect(await cage.result("tools.talks:reads")).toEqual({ line: "" });
  expect(await cage.result("tools.talks:replaced")).toEqual({ text: "kept by the tool\n" });
});

test("output beyond its limit is in a file, and the last line says so", async ({ cages }) => {
  const cage = await Cage.with(cages, {
    "tools/long.py": `
def run(text, times):
    print(text * times)
    print("the end")
    return {}
`,
  });
  const limits = { output_limit: 10, overflow_path: ".satchel/results/x.log" };
  const { stdout, stderr, changed } = await cage.call("tools.long:run", { text: "é", times: 7 }, { ...limits, output_limit: 9 });
  expect(stdout).toBe("éééé");
  expect(changed).toEqual({ ".satchel/results/x.log": "ééé\nthe end\n" });
  expect(stderr).toBe("\n[The output was longer than is shown here; the rest is in .satchel/results/x.log]\n");

  const exact = await cage.call("tools.long:run", { text: "é", times: 1 }, { ...limits, output_limit: 11 });
  expect([exact.stdout, exact.changed]).toEqual(["é\nthe end\n", {}]);

  const much = await cage.call("tools.long:run", { text: "0123456789", times: 10_000_000 }, { output_limit: 1_048_576, overflow_path: "y.log" });
  expect(much.stdout.length).toBe(1_048_576);
  expect(much.changed["y.log"]).toBe(`${64 * 1024 * 1024} bytes`);
  expect(much.stderr).toContain("what came after 64 MB of it was dropped");
});
