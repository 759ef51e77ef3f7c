// `env` and `printenv`. Those of the package show every variable; these show what a program would get.
import { type Command, type ResolvedCommandContext, defineCommand } from "just-bash/browser";

import { execute } from "./commands";

type Result = Awaited<ReturnType<Command["execute"]>>;

export function environmentCommands(): Command[] {
  return [defineCommand("env", env), defineCommand("printenv", printenv)];
}

async function env(args: string[], context: ResolvedCommandContext): Promise<Result> {
  let variables: Record<string, string> = { ...context.exportedEnv };
  const rest = [...args];
  while (rest[0]?.startsWith("-")) {
    const option = rest.shift()!;
    if (option === "--") break;
    if (option === "-i" || option === "-" || option === "--ignore-environment") variables = {};
    else if (option === "-u" || option === "--unset") delete variables[rest.shift() ?? ""];
    else if (option.startsWith("--unset=")) delete variables[option.slice("--unset=".length)];
    else return { stdout: "", stderr: `env: invalid option -- '${option.replace(/^-+/, "")}'\n`, exitCode: 125 };
  }
  while (rest[0]?.includes("=")) {
    const assignment = rest.shift()!;
    const at = assignment.indexOf("=");
    variables[assignment.slice(0, at)] = assignment.slice(at + 1);
  }
  const [program] = rest;
  if (program === undefined) return listed(variables);
  const result = await execute(rest, variables, context, context.stdin as unknown as string);
  const unknown = `bash: ${program}: command not found\n`;
  return { ...result, stderr: result.stderr.replace(unknown, `env: '${program}': No such file or directory\n`) };
}

async function printenv(args: string[], context: ResolvedCommandContext): Promise<Result> {
  const variables: Record<string, string> = { ...context.exportedEnv };
  if (args.length === 0) return listed(variables);
  const found = args.filter((name) => Object.hasOwn(variables, name));
  const stdout = found.map((name) => `${variables[name]}\n`).join("");
  return { stdout, stderr: "", exitCode: found.length === args.length ? 0 : 1 };
}

function listed(variables: Record<string, string>): Result {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  return { stdout: lines.join(""), stderr: "", exitCode: 0 };
}
