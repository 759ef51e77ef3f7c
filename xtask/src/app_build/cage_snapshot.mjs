// Makes the memory of a Python that has loaded the cage's modules, so that a cage begins there.
//
//   node cage_snapshot.mjs <npm package pyodide> <satchel_runtime.json> <output>
//
// What Pyodide gives is mostly empty pages. They are left out: the file is the length of a page, the length of the whole and the
// number of pages, as 32-bit numbers, then the number of each page that is not empty, then those pages.
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [pyodide, modules, output] = process.argv.slice(2);
const PAGE = 4096;
const OURS = "/lib/satchel";

// Equal sources give equal bytes: no time, no chance. A cage has both again when it starts.
Date.now = () => 1_767_225_600_000;
performance.now = () => 0;
crypto.getRandomValues = (bytes) => bytes.fill(7);
// Python decides once, while it is loaded, whether it can ever wait for a promise. Most browsers can, so here it must seem so; in one
// that cannot, the cage finds out.
WebAssembly.Suspending ??= function Suspending(action) {
  return action;
};
WebAssembly.promising ??= (action) => action;
// Python's modules look for it when they are imported; the cage has it.
globalThis.XMLHttpRequest ??= class {};
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`).href);
const lock = JSON.parse(await readFile(`${pyodide}/pyodide-lock.json`, "utf8"));
const python = await loadPyodide({
  indexURL: pyodide,
  lockFileContents: JSON.stringify({ ...lock, packages: {} }),
  env: { HOME: "/home/user", PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", MPLBACKEND: "Agg", PYTHONHASHSEED: "0" },
  _makeSnapshot: true,
});
for (const [path, text] of Object.entries(JSON.parse(await readFile(modules, "utf8")))) {
  const place = `${OURS}/${path}`;
  python.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
  python.FS.writeFile(place, text);
}
// Stands for what the cage's program gives to its modules, which is not known yet.
const outside = {};
python.registerJsModule("_satchel_js", outside);
python.runPython(`import sys; sys.path.append("${OURS}"); import _satchel.cage; _satchel.cage.prepare_snapshot(); None`);
// How a function is called through a pointer is the browser's matter; none is the way that works everywhere.
const memory = python._module;
memory.HEAP32[(memory.__PyRuntime + memory.HEAP32[memory.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET >>> 2]) >>> 2] = 0;
const whole = python.makeMemorySnapshot({
  serializer(thing) {
    if (thing === outside) return "outside";
    throw new Error("a module of the cage keeps something of JavaScript that a snapshot cannot have");
  },
});

const full = [];
for (let page = 0; page * PAGE < whole.length; page += 1) {
  if (whole.subarray(page * PAGE, (page + 1) * PAGE).some((byte) => byte !== 0)) full.push(page);
}
const sparse = Buffer.alloc(12 + 4 * full.length + PAGE * full.length);
for (const [at, number] of [PAGE, whole.length, full.length, ...full].entries()) sparse.writeUInt32LE(number, 4 * at);
for (const [at, page] of full.entries()) sparse.set(whole.subarray(page * PAGE, (page + 1) * PAGE), 12 + 4 * full.length + at * PAGE);
await writeFile(output, sparse);
