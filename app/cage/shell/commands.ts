// The commands that are ours: those the shell's package lacks, and those it has and that do not work here.
import { type Command, type CommandName, type ResolvedCommandContext, defineCommand, getCommandNames } from "just-bash/browser";

import { diff } from "./diff";
import { environmentCommands } from "./environment";
import type { Files } from "./files";
import { correctedCommands } from "./gnu";
import { RUN_FILE, SETTLE, TRAP } from "./script";
import { decode } from "./lossless_text";
import type { Pyodide } from "./pyodide";
import { runPython } from "./python";
import { xargs } from "./xargs";

/** Paths at which a command of ours is called and no file is. */
export const STUBS: ReadonlySet<string> = new Set([RUN_FILE, SETTLE, TRAP]);

/** They need what only Node has: compression, a database engine, the network. */
const LEFT_OUT = new Set(["gzip", "gunzip", "zcat", "html-to-markdown", "sqlite3"]);

type Context = ResolvedCommandContext;
type Result = Awaited<ReturnType<Command["execute"]>>;

/** The commands of the package that are there. */
export function packagedCommands(): CommandName[] {
  return getCommandNames().filter((name) => !LEFT_OUT.has(name)) as CommandName[];
}

/** What a script has asked to be run at its end. */
export interface AtExit {
  script: string;
  variables: Record<string, string>;
}

/** Our commands, for one run. */
export function ownCommands(pyodide: Pyodide, files: Files, atExit: AtExit[]): Command[] {
  const python = (args: string[], context: Context) => runPython(pyodide, args, context);
  return [
    defineCommand("python", python),
    defineCommand("python3", python),
    defineCommand(nameOf(RUN_FILE), (args, context) => runFile(args, context, python)),
    defineCommand(nameOf(SETTLE), (args, context) => settle(args, context, files)),
    defineCommand("mktemp", mktemp),
    defineCommand("realpath", realpath),
    defineCommand("uname", uname),
    diff,
    xargs,
    ...environmentCommands(),
    ...correctedCommands(),
    defineCommand(nameOf(TRAP), (args, context) => trap(args, context, atExit)),
  ];
}

function ok(stdout: string): Result {
  return { stdout, stderr: "", exitCode: 0 };
}

function failed(exitCode: number, stderr: string): Result {
  return { stdout: "", stderr, exitCode };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs a file by the interpreter that its first line names, as the system would. */
async function runFile(args: string[], context: Context, python: (args: string[], context: Context) => Promise<Result>) {
  const [name = "", ...rest] = args;
  const path = context.fs.resolvePath(context.cwd, name);
  const stat = await context.fs.stat(path).catch(() => undefined);
  if (stat?.isFile && (stat.mode & 0o111) !== 0) {
    const [first = ""] = decode((await context.fs.readFileBuffer(path)).subarray(0, 256)).split("\n");
    const interpreter = /^#!\s*(\S+)\s*(\S*)/.exec(first);
    const [, program = "", argument = ""] = interpreter ?? [];
    const isEnv = program.endsWith("/env");
    const command = (isEnv ? argument : program).split("/").at(-1) ?? "";
    if (/^python(3(\.\d+)?)?$/.test(command)) return python([name, ...rest], context);
    if (interpreter && !/^(ba|da)?sh$/.test(command)) {
      return isEnv
        ? failed(127, `/usr/bin/env: '${command}': No such file or directory\n`)
        : failed(126, `bash: ${name}: ${program}: bad interpreter: No such file or directory\n`);
    }
  }
  return execute(args, { ...context.exportedEnv }, context, context.stdin as unknown as string);
}

/** Runs a program with these arguments, in a shell of its own that hands on these variables. */
export function execute(line: string[], variables: Record<string, string>, context: Context, stdin = ""): Promise<Result> {
  const names = Object.keys(variables).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  const exported = names.length > 0 ? `export ${names.join(" ")}; ` : "";
  // `command` keeps the name of a file from being led here again.
  return context.exec!(`${exported}command ${line.map(quote).join(" ")}`, {
    cwd: context.cwd,
    env: variables,
    replaceEnv: true,
    stdin,
    stdinKind: "bytes",
    signal: context.signal,
  });
}

/** Says which files a command could not write to, and fails if there are any; else gives the status that the command had. */
async function settle([status = "0", ...names]: string[], context: Context, { refused }: Files): Promise<Result> {
  if (refused.size === 0) return { stdout: "", stderr: "", exitCode: Number(status) };
  const asGiven = new Map(names.map((name) => [context.fs.resolvePath(context.cwd, name), name]));
  const lines = Array.from(refused, ([path, words]) => `bash: ${asGiven.get(path) ?? path}: ${words}\n`);
  refused.clear();
  return failed(1, lines.join(""));
}

async function mktemp(args: string[], context: Context): Promise<Result> {
  const folder = args.some((argument) => argument === "-d" || argument === "--directory");
  const parent = args.includes("-p") ? args[args.indexOf("-p") + 1] : undefined;
  const given = args.filter((argument) => !argument.startsWith("-") && argument !== parent).at(0);
  const template = given ?? "tmp.XXXXXXXXXX";
  const holes = /X{3,}(?=[^X]*$)/.exec(template);
  if (!holes) return failed(1, `mktemp: too few X's in template '${template}'\n`);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const random = crypto.getRandomValues(new Uint8Array(holes[0].length));
  const name = template.replace(holes[0], Array.from(random, (byte) => letters[byte % letters.length]).join(""));
  const inTemporary = !given || parent !== undefined || args.includes("-t");
  const path = inTemporary ? `${parent ?? context.env.get("TMPDIR") ?? "/tmp"}/${name}` : name;
  const place = context.fs.resolvePath(context.cwd, path);
  try {
    if (folder) await context.fs.mkdir(place);
    else await context.fs.writeFile(place, "");
  } catch {
    const kind = folder ? "directory" : "file";
    return failed(1, `mktemp: failed to create ${kind} via template '${template}': No such file or directory\n`);
  }
  return ok(`${path}\n`);
}

async function realpath(args: string[], context: Context): Promise<Result> {
  const mustExist = args.some((argument) => argument === "-e");
  const lines: string[] = [];
  let stderr = "";
  for (const path of args.filter((argument) => !argument.startsWith("-"))) {
    const whole = context.fs.resolvePath(context.cwd, path);
    const parent = whole.slice(0, Math.max(whole.lastIndexOf("/"), 1));
    try {
      lines.push(await context.fs.realpath(whole));
    } catch {
      // Only the last part may be missing.
      if (!mustExist && (await context.fs.exists(parent))) {
        lines.push(`${(await context.fs.realpath(parent)).replace(/\/$/, "")}/${whole.slice(whole.lastIndexOf("/") + 1)}`);
      } else {
        stderr += `realpath: ${path}: No such file or directory\n`;
      }
    }
  }
  return { stdout: lines.map((line) => `${line}\n`).join(""), stderr, exitCode: stderr ? 1 : 0 };
}

async function uname(args: string[]): Promise<Result> {
  const parts: [string, string][] = [
    ["s", "Emscripten"],
    ["n", "localhost"],
    ["r", "1.0"],
    ["v", "#1"],
    ["m", "wasm32"],
  ];
  const wanted = args.join("").replaceAll("-", "") || "s";
  const shown = parts.filter(([letter]) => wanted.includes(letter) || wanted.includes("a"));
  return ok(`${shown.map(([, value]) => value).join(" ")}\n`);
}

/** Of all that can be trapped only the end of the script ever comes. */
async function trap(args: string[], context: Context, atExit: AtExit[]): Promise<Result> {
  const [script = "", ...signals] = args.filter((argument) => argument !== "--");
  if (signals.some((signal) => signal === "EXIT" || signal === "0")) {
    atExit.length = 0;
    if (script !== "-" && script !== "") atExit.push({ script, variables: Object.fromEntries(context.env) });
  }
  return ok("");
}

