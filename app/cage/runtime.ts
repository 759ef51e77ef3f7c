// Loading Python from the bytes that were handed in. The names of the files, as `start` has them:
//
//   pyodide.mjs, pyodide.asm.mjs, pyodide.asm.wasm, python_stdlib.zip, pyodide-lock.json   from the npm package
//   cage.js                    this program; the page's boot has imported it by now
//   satchel_runtime.json       the Python modules below app/cage/python, text by path
//   shell.js                   the shell behind `subprocess`, parsed when a tool first needs it
import type { Pyodide } from "./pyodide";

export type RuntimeFiles = Map<string, Uint8Array>;

/** An address that Pyodide asks for its parts; nothing is there. */
const HOME = "https://runtime.invalid/";
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

/** Loads Python. `network` is what it finds as `fetch` from then on. */
export async function loadPython(files: RuntimeFiles, network: typeof fetch): Promise<Pyodide> {
  const ours = fetchFrom(files);
  // Python keeps the function that it finds while it loads, so this one stands for both.
  let current = ours;
  globalThis.fetch = (input, options) => current(input, options);
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    importFrom(files, "pyodide.mjs"),
    importFrom(files, "pyodide.asm.mjs"),
  ]);
  const python: Pyodide = await loadPyodide({
    indexURL: HOME,
    stdLibURL: HOME + "python_stdlib.zip",
    lockFileContents: textOf(files, "pyodide-lock.json"),
    createPyodideModule,
    // What is printed is told at once; bytecode in the workspace would be the user's files; figures are drawn without a screen.
    env: { HOME: "/home/user", PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", MPLBACKEND: "Agg" },
  });
  current = network;
  for (const [path, text] of Object.entries<string>(JSON.parse(textOf(files, "satchel_runtime.json")))) {
    const place = `${OURS}/${path}`;
    python.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
    python.FS.writeFile(place, text);
  }
  return python;
}
