// Packages: wheels in pure Python and compiled ones, for the toolset of the cage alone (R306).
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { DIST } from "../journeys/harness";
import { Cage, expect, test, wheel } from "./harness";

const TOOLSET = {
  "tools/packages.py": `
import importlib.metadata
import sys

def pure():
    import attr
    @attr.s(auto_attribs=True)
    class Point:
        x: int
    return {"point": repr(Point(1)), "version": importlib.metadata.version("attrs"), "where": attr.__file__}

def compiled():
    import msgspec
    return {"back": msgspec.json.decode(msgspec.json.encode({"a": [1, 2]}))}

def fails():
    import msgspec
    msgspec.json.decode(b"{")
    return {}

def has(name):
    try:
        __import__(name)
    except ModuleNotFoundError:
        return {"has": False}
    return {"has": True}
`,
};

test("wheels are unpacked for the toolset, compiled ones too", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET, { ...(await wheel("attrs")), ...(await wheel("msgspec")) });
  expect(await cage.result("tools.packages:pure")).toMatchObject({ point: expect.stringContaining("Point(x=1)"), where: expect.stringContaining("/site-packages/attr/") });
  expect(await cage.result("tools.packages:compiled")).toEqual({ back: { a: [1, 2] } });
  expect((await cage.call("tools.packages:fails")).outcome.message).toMatch(/^msgspec.DecodeError: /);

  // Another cage has none of it.
  const other = await Cage.with(cages, TOOLSET);
  expect(await other.result("tools.packages:has", { name: "attr" })).toEqual({ has: false });
});

test("a wheel that cannot be used is refused by a sentence that names it", async ({ cages }) => {
  const cage = await Cage.open(cages);
  const [attrs] = Object.values(await wheel("attrs"));
  const refused = async (name: string, contents: string | Uint8Array = attrs) => {
    const { type, message } = await cage.equip({}, { [name]: contents });
    expect(type).toBe("refused");
    return message;
  };
  expect(await refused("numpy-2.0-cp314-cp314-manylinux_2_17_x86_64.whl")).toBe(
    "numpy-2.0-cp314-cp314-manylinux_2_17_x86_64.whl is for another platform (manylinux_2_17_x86_64); a toolset needs a wheel in pure " +
      "Python (…-none-any.whl) or one for pyemscripten_2026_0_wasm32",
  );
  expect(await refused("a-1-cp312-cp312-pyemscripten_2026_0_wasm32.whl")).toContain("is for another Python (cp312-cp312); this one is cp314");
  expect(await refused("a-1-py2-none-any.whl")).toContain("is for another Python");
  expect(await refused("attrs.whl")).toContain("is not the name of a wheel");
  expect(await refused("a-1-py3-none-any.whl", "not a ZIP")).toBe("a-1-py3-none-any.whl is damaged: File is not a zip file");
  expect(await refused("a-1-py3-none-any.whl", (attrs as Uint8Array).subarray(0, 4000))).toContain("is damaged");
  // It can still be equipped with what is good, and then never again.
  expect(await cage.equip(TOOLSET, await wheel("attrs"))).toMatchObject({ type: "done" });
  expect(await cage.result("tools.packages:has", { name: "attr" })).toEqual({ has: true });
  expect(await cage.equip({}, {})).toMatchObject({ type: "refused", message: "this cage belongs to a toolset already" });
});

test("the runtime has every module that its lock file and the standard library promise", async ({ cages }) => {
  const build = JSON.parse(await readFile(join(DIST, "satchel-build.json"), "utf8"));
  const lockPath: string = build.files.find(({ path }: { path: string }) => path.endsWith("/pyodide-lock.json")).path;
  const lock = JSON.parse(await readFile(join(DIST, lockPath), "utf8"));
  const packages: { file_name: string; imports: string[] }[] = Object.values(lock.packages);
  const wheels: Record<string, Uint8Array> = {};
  for (const { file_name } of packages) wheels[file_name] = await readFile(join(DIST, lockPath, "..", file_name));
  const cage = await Cage.with(cages, {}, wheels);
  const missing = await cage.evaluate(
    `
import importlib, json, sys
# Not to be had in a browser, or only there to be run.
absent = {
    "_curses", "_curses_panel", "_dbm", "_gdbm", "_tkinter", "_winapi", "_overlapped", "_msi", "_scproxy", "_wmi", "curses", "dbm",
    "ensurepip", "fcntl", "grp", "idlelib", "msvcrt", "nt", "nturl2path", "resource", "readline", "syslog", "termios", "tkinter", "turtle",
    "turtledemo", "venv", "winreg", "winsound", "antigravity", "this", "_android_support", "_apple_support", "_ios_support",
    "_aix_support", "_osx_support", "_pyrepl", "pydoc_data", "lib2to3", "tty", "pty", "_posixshmem", "_multiprocessing",
    "_interpchannels", "_interpqueues", "_interpreters", "_hashlib", "_pydecimal", "_uuid", "pwd", "_remote_debugging", "_hmac", "_posixsubprocess", "_zstd",
}
names = json.loads(arguments)["names"] + [name for name in sys.stdlib_module_names if name not in absent]
failed = {}
for name in names:
    try:
        importlib.import_module(name)
    except BaseException as error:
        failed[name] = repr(error)
result = json.dumps(failed)
`,
    { names: packages.flatMap(({ imports }) => imports) },
  );
  expect(missing).toEqual({});
});
