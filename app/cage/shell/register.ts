// Gives Python the shell, as the module `_satchel_shell`. The shell itself is parsed when it is first used; this is part of what is
// loaded at the start, and small.
import type { Pyodide } from "./pyodide";
import type { Outcome, Run } from "./shell";

interface Host extends Pyodide {
  registerJsModule(name: string, module: object): void;
}

/** `source` is `shell.js`. */
export function registerShell(pyodide: Host, source: Uint8Array): void {
  let opened: Promise<(run: Run) => Promise<Outcome>> | undefined;
  const open = async () => {
    const text = new TextDecoder().decode(source);
    const { openShell } = await import("data:text/javascript," + encodeURIComponent(text));
    return openShell(pyodide);
  };
  pyodide.registerJsModule("_satchel_shell", {
    can_ever_wait: "Suspending" in WebAssembly,
    async run(script: string, cwd: string, environment: string, stdin: Uint8Array, timeout: number | undefined, joined: boolean) {
      opened ??= open();
      return (await opened)({ script, cwd, environment, stdin, timeout, joined });
    },
  });
}
