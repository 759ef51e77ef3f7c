// `xargs`, whole: the package's takes no option that has its value attached, and these are the common ones.
import { type Command, type ResolvedCommandContext, defineCommand } from "just-bash/browser";

import { execute } from "./commands";
import { bytesOfLatin1, decode } from "./lossless_text";

type Context = ResolvedCommandContext;
type Result = Awaited<ReturnType<Command["execute"]>>;

interface Options {
  delimiter?: string;
  replace?: string;
  perLine?: number;
  atMost?: number;
  skipEmpty: boolean;
  trace: boolean;
}

export const xargs = defineCommand("xargs", run);

/** Together no more than a system would take. */
const MOST_CHARACTERS = 128 * 1024;

async function run(args: string[], context: Context): Promise<Result> {
  const rest = [...args];
  const options: Options = { skipEmpty: false, trace: false };
  while (rest[0]?.startsWith("-") && rest[0] !== "-") {
    const option = rest.shift()!;
    if (option === "--") break;
    const refused = take(option, rest, options);
    if (refused) return { stdout: "", stderr: refused, exitCode: 1 };
  }
  const command = rest.length > 0 ? rest : ["echo"];
  const items = split(decode(bytesOfLatin1(context.stdin as unknown as string)), options);
  if (items.length === 0 && (options.skipEmpty || options.replace !== undefined)) return { stdout: "", stderr: "", exitCode: 0 };
  const total: Result = { stdout: "", stderr: "", exitCode: 0 };
  for (const line of lines(command, items, options)) {
    if (options.trace) total.stderr += `${line.join(" ")}\n`;
    const result = await execute(line, { ...context.exportedEnv }, context);
    total.stdout += result.stdout;
    total.stderr += result.stderr.replace(/^bash: (.*): command not found$/m, "xargs: $1: No such file or directory");
    if (result.exitCode === 127 || result.exitCode === 126) return { ...total, exitCode: result.exitCode };
    if (result.exitCode === 255) return { ...total, stderr: `${total.stderr}xargs: ${line[0]}: exited with status 255; aborting\n`, exitCode: 124 };
    if (result.exitCode !== 0) total.exitCode = 123;
  }
  return total;
}

/** Takes one option, with its value from itself or from what follows; gives what is wrong with it. */
function take(option: string, rest: string[], options: Options): string | undefined {
  const long = /^--([a-z-]+)(?:=(.*))?$/s.exec(option);
  const LONG: Record<string, string> = { null: "0", "max-args": "n", "max-lines": "L", replace: "I", delimiter: "d", "no-run-if-empty": "r", verbose: "t", "max-procs": "P" };
  const letter = long ? LONG[long[1]!] : option[1];
  const attached = long ? long[2] : option.slice(2);
  const value = () => (attached ? attached : (rest.shift() ?? ""));
  switch (letter) {
    case "0":
      options.delimiter = "\0";
      break;
    case "r":
      options.skipEmpty = true;
      break;
    case "t":
      options.trace = true;
      break;
    case "n":
      options.atMost = Number(value());
      return undefined;
    case "L":
      options.perLine = Number(value());
      return undefined;
    case "I":
    case "i":
      options.replace = letter === "i" ? attached || "{}" : value();
      return undefined;
    case "d":
      options.delimiter = value().replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0");
      return undefined;
    case "P":
    case "s":
      // One after the other, in any case.
      value();
      return undefined;
    default:
      return `xargs: invalid option -- '${letter ?? option.replace(/^-+/, "")}'\n`;
  }
  return attached && !long ? take(`-${attached}`, rest, options) : undefined;
}

/** The items of the input: by the delimiter, by lines, or by blanks outside of quotes. */
function split(text: string, { delimiter, replace }: Options): string[] {
  if (delimiter !== undefined) {
    const items = text.split(delimiter);
    if (items.at(-1) === "") items.pop();
    return items;
  }
  if (replace !== undefined) return text.split("\n").map((line) => line.replace(/^[ \t]+/, "")).filter((line) => line !== "");
  return Array.from(text.matchAll(/(?:'[^']*'|"[^"]*"|\\[^]|[^\s'"\\])+/g), ([item]) =>
    item.replace(/'([^']*)'|"([^"]*)"|\\([^])/g, (_, single, double, plain) => single ?? double ?? plain),
  );
}

function* lines(command: string[], items: string[], options: Options): Generator<string[]> {
  const { replace } = options;
  if (replace !== undefined) {
    for (const item of items) yield command.map((word) => word.replaceAll(replace, () => item));
    return;
  }
  const most = options.atMost ?? options.perLine ?? Infinity;
  let line: string[] = [];
  let length = 0;
  for (const item of items) {
    if (line.length >= most || (line.length > 0 && length + item.length > MOST_CHARACTERS)) {
      yield [...command, ...line];
      line = [];
      length = 0;
    }
    line.push(item);
    length += item.length + 1;
  }
  if (line.length > 0 || items.length === 0) yield [...command, ...line];
}
