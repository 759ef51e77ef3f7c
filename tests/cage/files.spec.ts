// Files: what a call has done to `/workspace` is told exactly, and `/toolset` cannot be changed.
import { Cage, expect, test } from "./harness";

const TOOLSET = {
  "tools/files.py": `
import mmap
import os
import shutil
from pathlib import Path

def read(workspace):
    return {"files": {str(p.relative_to(workspace)): p.read_text() for p in sorted(workspace.rglob("*")) if p.is_file()},
            "folders": sorted(str(p.relative_to(workspace)) for p in workspace.rglob("*") if p.is_dir())}

def do(workspace, source):
    exec(source, {"workspace": workspace, "os": os, "shutil": shutil, "Path": Path, "mmap": mmap})
    return {}

def attempt(source):
    try:
        exec(source, {"os": os, "shutil": shutil, "Path": Path})
    except OSError as error:
        return {"raised": type(error).__name__, "words": error.strerror}
    return {"raised": None}
`,
  "assets/data.txt": "an asset",
};

test("changes are told by what was done, and by nothing else", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  await cage.materialise({ "a.txt": "a", "b/c.txt": "c", "b/d.txt": "d", "e.txt": "e", "deep/er/f.txt": "f" });
  const done = async (source: string) => {
    const { changed, removed, unread, outcome } = await cage.call("tools.files:do", { source });
    expect(outcome, outcome.traceback).toMatchObject({ type: "result" });
    return { changed, removed: removed.sort(), unread };
  };
  const nothing = { changed: {}, removed: [], unread: [] };

  // What was materialised, reading, times and modes are no changes.
  expect(await done("(workspace / 'a.txt').read_text(); os.utime('a.txt', (1, 1)); os.chmod('a.txt', 0o700)")).toEqual(nothing);
  expect(await done("open('a.txt', 'a').close(); os.makedirs('empty/er')")).toEqual(nothing);
  expect((await cage.result("tools.files:read")).folders).toEqual(["b", "deep", "deep/er"]);

  // Every way to write.
  expect(await done("Path('a.txt').write_text('ä'); Path('new/x.txt').parent.mkdir(); Path('new/x.txt').write_text('x')")).toEqual({
    ...nothing,
    changed: { "a.txt": "ä", "new/x.txt": "x" },
  });
  expect(await done("os.truncate('b/c.txt', 0)")).toEqual({ ...nothing, changed: { "b/c.txt": "" } });
  expect(await done("f = os.open('b/d.txt', os.O_RDWR); os.pwrite(f, b'D', 0); os.close(f); os.utime('b/d.txt', (1, 1))")).toEqual({
    ...nothing,
    changed: { "b/d.txt": "D" },
  });
  expect(await done("f = open('e.txt', 'r+b'); m = mmap.mmap(f.fileno(), 1); m[0] = 69; m.flush(); m.close(); f.close()")).toEqual({
    ...nothing,
    changed: { "e.txt": "E" },
  });

  // Moving and taking away.
  expect(await done("os.rename('a.txt', 'e.txt')")).toEqual({ ...nothing, changed: { "e.txt": "ä" }, removed: ["a.txt"] });
  expect(await done("os.rename('b', 'moved')")).toEqual({
    ...nothing,
    changed: { "moved/c.txt": "", "moved/d.txt": "D" },
    removed: ["b/c.txt", "b/d.txt"],
  });
  expect(await done("os.unlink('moved/c.txt'); shutil.rmtree('deep'); Path('short').write_text('s'); os.unlink('short')")).toEqual({
    ...nothing,
    removed: ["deep/er/f.txt", "moved/c.txt"],
  });
  expect(await done("os.unlink('moved/d.txt'); Path('moved/d.txt').mkdir(); Path('moved/d.txt/in').write_text('i')")).toEqual({
    ...nothing,
    changed: { "moved/d.txt/in": "i" },
    removed: ["moved/d.txt"],
  });
  expect(await done("os.unlink('e.txt'); Path('e.txt').write_text('again')")).toEqual({ ...nothing, changed: { "e.txt": "again" } });

  // What Python keeps of modules is not the user's (C60).
  expect(await done("os.mkdir('__pycache__'); Path('__pycache__/x.pyc').write_text('x'); Path('my__pycache__.txt').write_text('y')")).toEqual({
    ...nothing,
    changed: { "my__pycache__.txt": "y" },
  });

  // An exception leaves its changes.
  const { changed, outcome } = await cage.call("tools.files:do", { source: "Path('partial.txt').write_text('p'); raise ValueError" });
  expect([outcome.failure, changed]).toEqual(["exception", { "partial.txt": "p" }]);

  // The next state is brought about from outside, and is no change either.
  await cage.materialise({ "moved/d.txt": "a file again", "b": "was a folder once" }, ["e.txt", "new/x.txt", "partial.txt", "not-there.txt"]);
  expect(await done("pass")).toEqual(nothing);
  expect(await cage.result("tools.files:read")).toEqual({
    files: { "__pycache__/x.pyc": "x", b: "was a folder once", "moved/d.txt": "a file again", "my__pycache__.txt": "y" },
    folders: ["__pycache__", "moved"],
  });
});

test("what cannot be read is neither changed nor removed", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  await cage.materialise({ "locked.txt": "l", "linked.txt": "l", "plain.txt": "p" });
  const first = await cage.call("tools.files:do", {
    source: `
Path('locked.txt').write_text('secret'); os.chmod('locked.txt', 0)
os.unlink('linked.txt'); os.symlink('/toolset/assets/data.txt', 'linked.txt')
os.symlink('nowhere', 'loose')
Path('plain.txt').write_text('P')`,
  });
  expect(first).toMatchObject({
    changed: { "plain.txt": "P" },
    removed: [],
    unread: [
      { path: "locked.txt", reason: "permission denied: nobody may read it" },
      { path: "linked.txt", reason: "it is a link to /toolset/assets/data.txt, and links are not kept" },
      { path: "loose", reason: "it is a link to nowhere, and links are not kept" },
    ],
  });
  // It is told again until it can be read, or is gone.
  const second = await cage.call("tools.files:do", { source: "os.chmod('locked.txt', 0o600); os.unlink('linked.txt'); os.unlink('loose')" });
  expect(second).toMatchObject({ changed: { "locked.txt": "secret" }, removed: ["linked.txt"], unread: [] });
});

test("the toolset's files are there to be read and not to be written", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const attempt = (source: string) => cage.result("tools.files:attempt", { source });
  expect(await attempt("assert Path('/toolset/assets/data.txt').read_text() == 'an asset'")).toEqual({ raised: null });
  for (const source of [
    "Path('/toolset/assets/data.txt').write_text('x')",
    "open('/toolset/assets/data.txt', 'a')",
    "open('/toolset/assets/data.txt', 'r+b')",
    "os.chmod('/toolset/assets/data.txt', 0o777)",
    "os.chmod('/toolset', 0o777)",
    "os.truncate('/toolset/assets/data.txt', 0)",
    "os.unlink('/toolset/assets/data.txt')",
    "os.rename('/toolset/assets/data.txt', '/toolset/assets/other.txt')",
    "shutil.rmtree('/toolset/assets')",
    "Path('/toolset/new.py').write_text('x')",
    "os.mkdir('/toolset/new')",
    "os.symlink('/workspace', '/toolset/link')",
    "os.utime('/toolset/assets/data.txt', (1, 1))",
  ]) {
    expect(await attempt(source), source).toEqual({ raised: "OSError", words: "Read-only file system" });
  }
  expect(await attempt("assert os.listdir('/toolset') == ['tools', 'assets']")).toEqual({ raised: null });
});

test("too many files, or one too large, and nothing is told but that", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  await cage.materialise({ "a.txt": "a", "b.txt": "b" });
  const limits = { file_limit: 3, file_bytes_limit: 10 };
  const call = (source: string) => cage.call("tools.files:do", { source }, limits);
  expect(await call("Path('c.txt').write_text('c'); Path('d.txt').write_text('d')")).toMatchObject({
    outcome: {
      failure: "too_many_files",
      message: "The workspace would have 4 files, and it may have 3. Nothing that the tool wrote was kept.",
    },
    changed: {},
    removed: [],
  });
  expect(await call("os.unlink('d.txt'); os.unlink('b.txt')")).toMatchObject({ outcome: { type: "result" }, changed: { "c.txt": "c" }, removed: ["b.txt"] });
  expect((await call("Path('a.txt').write_text('more than ten')")).outcome).toMatchObject({
    failure: "too_many_files",
    message: "The file a.txt has 13 bytes, and a file of the workspace may have 10. Nothing that the tool wrote was kept.",
  });
});

test("large changes come in pieces, and many files go in at once", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const { pieces, changed } = await cage.call("tools.files:do", {
    source: "for n, size in enumerate([20, 20, 40, 1]): Path(f'{n}.bin').write_bytes(bytes(size << 20))",
  });
  const mega = (count: number) => count * 2 ** 20;
  expect(pieces).toEqual([mega(20), mega(20), mega(40), mega(1)]);
  expect(changed["2.bin"]).toBe(`${mega(40)} bytes`);

  const done = await cages.evaluate((id) => (globalThis as any).cagePage.materialiseMany(id, 1000, 4096), cage.id);
  expect(done.type).toBe("done");
  expect(await cage.result("tools.files:do", { source: "assert len(list(workspace.rglob('*.txt'))) == 1000" })).toEqual({});
});
