// The shell behind `subprocess`: just-bash over the files of Python. It is a file of its own, parsed when a tool first starts a
// command. A run has nothing in common with the one before but the files.
import { Bash } from "just-bash/browser";

import { type AtExit, ownCommands, packagedCommands, STUBS } from "./commands";
import { Files } from "./files";
import { LIMITS } from "./limits";
import { encode, latin1 } from "./lossless_text";
import type { Parse } from "./arithmetic";
import { preparation } from "./script";
import type { Script } from "./syntax";
import type { Pyodide } from "./pyodide";

/**
 * Runs a script to its end. `environment` is all of it, a JSON text; `timeout` the milliseconds after which it is ended; `joined`
 * says that what goes to stderr goes to stdout.
 */
export type Run = (
  script: string,
  cwd: string,
  environment: string,
  stdin: Uint8Array,
  timeout: number | undefined,
  joined: boolean,
) => Promise<Outcome>;

/** What came of it. */
export interface Outcome {
  stdout: Uint8Array;
  stderr: Uint8Array;
  code: number;
  timedOut: boolean;
}

/** The package guesses at its end whether text is bytes; here nothing is guessed. */
class ExactBash extends Bash {}
Object.defineProperty(ExactBash.prototype, "logResult", { value: (result: unknown) => result });

/** Called by Python, by `_satchel.processes.bridge`. */
export function openShell(pyodide: Pyodide): Run {
  const files = new Files(pyodide, STUBS);
  const parser = new Bash({ fs: files, cwd: "/", commands: [], defenseInDepth: false });
  const parse: Parse = (text) => parser.transform(text).ast as unknown as Script;
  return async (script, cwd, environment, stdin, timeout, joined) => {
    const began = performance.now();
    const variables: Record<string, string> = JSON.parse(environment);
    const atExit: AtExit[] = [];
    const bash = new ExactBash({
      fs: files,
      cwd,
      // Only these are handed on to commands.
      env: variables,
      commands: packagedCommands(),
      customCommands: ownCommands(pyodide, files, atExit),
      executionLimits: { ...LIMITS, ...(timeout !== undefined && { maxExecutionTimeMs: Math.max(1, Math.ceil(timeout)) }) },
      // The cage is the defence; this one would take timers away from everything else in it.
      defenseInDepth: false,
    });
    bash.registerTransformPlugin(preparation(joined, parse) as never);
    const options = { cwd, env: variables, replaceEnv: true, rawScript: true };
    const result = await bash.exec(script, { ...options, stdin: latin1(stdin), stdinKind: "bytes" });
    let { stdout, stderr } = result;
    for (const { script: last, variables: then } of atExit.splice(0)) {
      const env = { ...then, ...result.env };
      const more = await bash.exec(last, { ...options, env, cwd: env.PWD ?? cwd });
      stdout += more.stdout;
      stderr += more.stderr;
    }
    const timedOut = timeout !== undefined && performance.now() - began >= timeout;
    return {
      stdout: encode(joined ? stdout + stderr : stdout),
      stderr: encode(joined ? "" : stderr),
      code: result.exitCode,
      timedOut,
    };
  };
}
