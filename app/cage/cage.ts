// The inside of the cage: Python in a worker, told what to do by messages. Requests are carried out one after the other; whatever
// happens in one of them, the next is heard. When Python itself has died, that is the last thing said.
import { callFunction } from "./call";
import { equip } from "./equip";
import { Network, NoBlockingRequest } from "./network";
import { Output } from "./output";
import { Outside } from "./outside";
import { Port } from "./port";
import type { Call, Evaluate, Request, Start, ToCage } from "./protocol";
import type { Pyodide } from "./pyodide";
import { accepted, Refusal } from "./refusal";
import { loadPython, type RuntimeFiles } from "./runtime";
import { filesOf } from "./spans";
import { makeToolset } from "./toolset";
import { Workspace } from "./workspace";

/** Everything a request needs. */
export interface Cage {
  python: Pyodide;
  port: Port;
  output: Output;
  network: Network;
  workspace: Workspace;
  toolset: ReturnType<typeof makeToolset>;
  /** The module `_satchel.cage`. */
  ours: any;
  canWait: boolean;
}

/** Called by the page's boot with the first message, and with those that came while this program was being read. */
export async function begin(port: MessagePort, start: Start, buffer: ArrayBuffer, waiting: MessageEvent[]): Promise<void> {
  const files: RuntimeFiles = new Map(filesOf(start.files, buffer));
  const line = new Port(port);
  const network = new Network(line);
  let dead = false;
  const die = (error: unknown) => {
    if (!dead) line.say({ type: "failed", message: describe(error) });
    dead = true;
  };
  const started = performance.now();
  let cage: Cage;
  try {
    cage = await load(files, line, network, die);
  } catch (error) {
    return die(error);
  }
  const { version } = cage.python.pyimport("sys");
  const load_millis = Math.round(performance.now() - started);
  line.say({ type: "ready", python: version, load_millis, can_wait: cage.canWait });

  let before: Promise<void> = Promise.resolve();
  line.listen(waiting, (text, buffer) => {
    const message = parse(text);
    if (!message || message.type === "start" || dead) return;
    if (message.type === "fetched") return network.hear(message, buffer);
    before = before.then(async () => {
      if (dead) return;
      try {
        await carryOut(cage, message, text, buffer);
      } catch (error) {
        if (isFatal(error)) die(error);
        else line.say({ type: "refused", request: message.request, message: describe(error) });
      }
    });
  });
}

async function load(files: RuntimeFiles, port: Port, network: Network, die: (error: unknown) => void): Promise<Cage> {
  const outside = new Outside(files, port);
  const python = await loadPython(files, network.fetch, outside);
  python._api.on_fatal = die;
  const canWait = python._module.jspiSupported;
  if (!canWait) Object.assign(globalThis, { XMLHttpRequest: NoBlockingRequest });
  const output = new Output(port, python.FS);
  outside.output = output;
  python.setStdin({ stdin: () => null });
  python.setStdout({ write: (bytes) => output.write("stdout", bytes) });
  python.setStderr({ write: (bytes) => output.write("stderr", bytes) });
  const workspace = new Workspace(python.FS);
  const toolset = makeToolset(python.FS);
  const ours = python.pyimport("_satchel.cage");
  ours.start();
  return { python, port, output, network, workspace, toolset, ours, canWait };
}

async function carryOut(cage: Cage, message: Request, text: string, buffer: ArrayBuffer): Promise<void> {
  const { port } = cage;
  switch (message.type) {
    case "equip":
      await equip(cage, message, buffer);
      return port.say({ type: "done", request: message.request });
    case "materialise":
      cage.workspace.materialise(message.remove, filesOf(message.write, buffer));
      return port.say({ type: "done", request: message.request });
    case "call":
      return callFunction(cage, message as Call, text);
    case "describe": {
      cage.workspace.enter();
      const described = accepted(cage.ours.describe(message.entrypoint));
      return port.sayText(`{"type":"described","request":${message.request},${described}}`);
    }
    case "evaluate":
      return evaluate(cage, message);
  }
}

async function evaluate({ python, port }: Cage, { request, source, arguments: given }: Evaluate): Promise<void> {
  const globals = python.globals.get("dict")();
  try {
    globals.set("arguments", given);
    await python.runPythonAsync(source, { globals });
    port.say({ type: "evaluated", request, result: String(globals.get("result")) });
  } catch (error) {
    if (isFatal(error)) throw error;
    port.say({ type: "raised", request, traceback: error instanceof Error ? error.message : String(error) });
  } finally {
    globals.destroy();
  }
}

function parse(text: string): ToCage | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether Python cannot be used any more. */
export function isFatal(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || (error as { pyodide_fatal_error?: boolean })?.pyodide_fatal_error === true;
}

function describe(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
