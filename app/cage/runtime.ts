// Loading Python from the bytes that were handed in. The names of the files, as `start` has them:
//
//   pyodide.mjs, pyodide.asm.mjs, pyodide.asm.wasm, python_stdlib.zip, pyodide-lock.json   from the npm package
//   cage.js                    this program; the page's boot has imported it by now
//   satchel_runtime.json       the Python modules below app/cage/python, text by path
//   python.snapshot            the memory of a Python that has loaded them; may be absent, and then loading takes longer
//   shell.js                   the shell behind `subprocess`, parsed when a tool first needs it
import type { Pyodide } from "./pyodide";

export type RuntimeFiles = Map<string, Uint8Array>;

/** An address that Pyodide asks for its parts; nothing is there. */
const HOME = "https://runtime.invalid/";
/** The memory of a Python that has loaded the modules, made when the app was built. */
const SNAPSHOT = "python.snapshot";
/** What is printed is told at once; bytecode in the workspace would be the user's files; figures are drawn without a screen. */
const ENVIRONMENT = { HOME: "/home/user", PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", MPLBACKEND: "Agg" };
/** Where the modules of `satchel_runtime.json` are. */
export const OURS = "/lib/satchel";

export function bytesOf(files: RuntimeFiles, name: string): Uint8Array<ArrayBuffer> {
  const bytes = files.get(name);
  if (!bytes) throw new Error(`the cage was not given ${name}`);
  return bytes as Uint8Array<ArrayBuffer>;
}

export function textOf(files: RuntimeFiles, name: string): string {
  return new TextDecoder().decode(bytesOf(files, name));
}

/** Imports a script from its bytes. Only `data:` addresses can be imported here. */
export async function importFrom(files: RuntimeFiles, name: string): Promise<any> {
  return import("data:text/javascript," + encodeURIComponent(textOf(files, name)));
}

/** Answers what Pyodide asks for while it loads. */
function fetchFrom(files: RuntimeFiles): typeof fetch {
  return async (input) => {
    const address = String(input instanceof Request ? input.url : input);
    const name = address.startsWith(HOME) ? address.slice(HOME.length) : address;
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(bytesOf(files, name), { headers: { "content-type": type } });
  };
}

/** Loads Python. `network` is what it finds as `fetch` from then on, and `outside` is what its own modules find as `_satchel_js`. */
export async function loadPython(files: RuntimeFiles, network: typeof fetch, outside: object): Promise<Pyodide> {
  // Python keeps the function that it finds while it loads, so this one stands for both.
  let current = fetchFrom(files);
  globalThis.fetch = (input, options) => current(input, options);
  const [{ loadPyodide }, { default: createModule }] = await Promise.all([
    importFrom(files, "pyodide.mjs"),
    importFrom(files, "pyodide.asm.mjs"),
  ]);
  const load = (snapshot?: Uint8Array) => loadWith(loadPyodide, createModule, textOf(files, "pyodide-lock.json"), outside, snapshot);
  const snapshot = files.get(SNAPSHOT);
  // A browser in which the snapshot cannot be used loads Python as it always was.
  const python = snapshot ? await load(expanded(snapshot)).catch(() => load()) : await load();
  current = network;
  for (const [path, text] of Object.entries<string>(JSON.parse(textOf(files, "satchel_runtime.json")))) {
    const place = `${OURS}/${path}`;
    python.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
    python.FS.writeFile(place, text);
  }
  return python;
}

type CreateModule = (settings: object) => Promise<Memory>;

/** What is used of Emscripten's module before Python is in it. */
interface Memory {
  HEAP32: Int32Array;
  __PyRuntime: number;
  __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET: number;
}

async function loadWith(
  loadPyodide: (options: object) => Promise<Pyodide>,
  createModule: CreateModule,
  lockFileContents: string,
  outside: object,
  snapshot?: Uint8Array,
): Promise<Pyodide> {
  let restore = () => {};
  const python = await loadPyodide({
    indexURL: HOME,
    stdLibURL: HOME + "python_stdlib.zip",
    lockFileContents,
    env: ENVIRONMENT,
    ...(snapshot && { _loadSnapshot: snapshot, _snapshotDeserializer: () => outside }),
    async createPyodideModule(settings: object) {
      const module = await createModule(settings);
      // How Python calls a function through a pointer depends on the browser: the snapshot must not bring its own way. With the
      // wrong one there would be JavaScript between Python and Python, and Python could not wait.
      const place = () => (module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET >>> 2]) >>> 2;
      const pointer = module.HEAP32[place()];
      restore = () => void (module.HEAP32[place()] = pointer);
      return module;
    },
  });
  restore();
  if (!snapshot) {
    python.registerJsModule("_satchel_js", outside);
    python.pyimport("sys").path.append(OURS);
  }
  return python;
}

/** The whole memory from its pages that are not empty, as xtask/src/app_build/cage_snapshot.mjs wrote them. */
function expanded(sparse: Uint8Array): Uint8Array {
  const bytes = sparse.slice();
  const [pageLength, length, count] = new Uint32Array(bytes.buffer, 0, 3);
  const pages = new Uint32Array(bytes.buffer, 12, count);
  const whole = new Uint8Array(length);
  pages.forEach((page, index) => {
    const from = 12 + 4 * count + index * pageLength;
    whole.set(bytes.subarray(from, from + Math.min(pageLength, length - page * pageLength)), page * pageLength);
  });
  return whole;
}
