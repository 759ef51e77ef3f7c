// How a cage starts: from the snapshot, without it, without a runtime, and in a browser where Python cannot wait.
import { Cage, expect, test, wheel } from "./harness";

const TOOLSET = {
  "tools/start.py": `
import asyncio, hashlib, os, random, tempfile, uuid
import satchel

def chance():
    return {"random": random.random(), "uuid": str(uuid.uuid4()), "bytes": os.urandom(8).hex(), "file": tempfile.mktemp()}

def place():
    import sys
    return {"path": sys.path, "environment": dict(os.environ), "modules": "_satchel.cage" in sys.modules}

async def waits():
    await asyncio.sleep(0.01)
    return {"waited": True}
`,
};

test("cages that start from one snapshot have nothing in common by chance, and the same place as others", async ({ cages }) => {
  const first = await Cage.with(cages, TOOLSET);
  const second = await Cage.with(cages, TOOLSET);
  const [one, other] = [await first.result("tools.start:chance"), await second.result("tools.start:chance")];
  for (const name of ["random", "uuid", "bytes", "file"]) expect(one[name], name).not.toBe(other[name]);
  const place = await first.result("tools.start:place");
  expect(place.path[0]).toBe("/toolset");
  expect(place.path).not.toContain("");
  expect(place.environment).not.toHaveProperty("PYTHONHASHSEED");

  const slow = await Cage.open(cages, { leftOut: ["python.snapshot"] });
  expect(await slow.equip(TOOLSET)).toMatchObject({ type: "done" });
  expect(await slow.result("tools.start:place")).toEqual(place);
  expect(await slow.result("tools.start:waits")).toEqual({ waited: true });
  // Loading from the beginning takes several times as long.
  expect(slow.ready.load_millis).toBeGreaterThan(first.ready.load_millis);
});

test("a cage that was not given its runtime says what is missing", async ({ cages }) => {
  expect((await Cage.open(cages, { leftOut: ["pyodide.asm.mjs"] })).ready).toEqual({
    type: "failed",
    message: "Error: the cage was not given pyodide.asm.mjs",
  });
  expect((await Cage.open(cages, { leftOut: ["cage.js"] })).ready).toMatchObject({ type: "failed" });
});

const NETWORK = {
  "tools/net.py": `
import urllib.request

def plain():
    return {"fine": True}

async def later():
    import asyncio
    await asyncio.sleep(0.01)
    return {"later": True}

async def by_pyfetch():
    from pyodide.http import pyfetch
    return {"text": await (await pyfetch("https://api.example.com/")).text()}

def by_urllib():
    return {"text": urllib.request.urlopen("https://api.example.com/").read().decode()}

def by_requests():
    import requests
    return {"text": requests.get("https://api.example.com/").text}
`,
};

test("where Python cannot wait, all but the ways that block work, and those say so", async ({ cages }) => {
  const wheels = {};
  for (const name of ["idna", "certifi", "charset_normalizer", "urllib3", "requests"]) Object.assign(wheels, await wheel(name));
  const cage = await Cage.open(cages, { without: ["WebAssembly.Suspending", "WebAssembly.promising"] });
  expect(cage.ready.can_wait).toBe(false);
  expect(await cage.equip(NETWORK, wheels)).toMatchObject({ type: "done" });
  await cage.hosts({ "https://api.example.com/": { body: "hello" } });
  expect(await cage.result("tools.net:plain")).toEqual({ fine: true });
  expect(await cage.result("tools.net:later")).toEqual({ later: true });
  expect(await cage.result("tools.net:by_pyfetch")).toEqual({ text: "hello" });
  for (const name of ["by_urllib", "by_requests"]) {
    const { outcome } = await cage.call(`tools.net:${name}`);
    expect(outcome.message, name).toContain("this browser cannot let Python wait for the network (it has no JSPI)");
  }
});
