// `python` and `python3`: the interpreter that is there already, for a script in a script. It does the work of a process of its own:
// own arguments, environment, folder, input and output, own `__main__`; what it has in common is memory.
import type { Command, ResolvedCommandContext } from "just-bash/browser";

import { Deadlines } from "./deadlines";
import { bytesOfLatin1, decode, latin1 } from "./lossless_text";
import type { Pyodide } from "./pyodide";

let deadlines: Deadlines | undefined;

export async function runPython(
  pyodide: Pyodide,
  args: string[],
  context: ResolvedCommandContext,
): Promise<Awaited<ReturnType<Command["execute"]>>> {
  const limits = (deadlines ??= new Deadlines(pyodide));
  const stdin = bytesOfLatin1(context.stdin as unknown as string);
  const environment = JSON.stringify({ ...context.exportedEnv });
  const { run_python } = pyodide.pyimport("_satchel.processes.nested");
  const remaining = context.executionScope?.remainingTimeMs() ?? Infinity;
  const answer = await limits.within(remaining, () =>
    run_python!.callPromising(JSON.stringify(args), stdin, environment, context.cwd, limits.calm),
  );
  const [code, stdout, stderr] = answer as [number, Uint8Array, Uint8Array];
  return {
    stdout: latin1(stdout),
    stdoutKind: "bytes",
    stdoutEncoding: "binary",
    stderr: decode(stderr),
    exitCode: code,
  };
}
