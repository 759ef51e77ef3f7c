// Commands of the package that differ from GNU's in something people use. Each is the package's own with the difference taken out.
import { type Command, type ResolvedCommandContext, defineCommand } from "just-bash/browser";

import { latin1 } from "./lossless_text";

type Context = ResolvedCommandContext;
type Result = Awaited<ReturnType<Command["execute"]>>;

export function correctedCommands(): Command[] {
  return [
    defineCommand("ls", ls),
    defineCommand("printf", printf),
    defineCommand("grep", grep),
    defineCommand("sed", sed),
    defineCommand("uniq", uniq),
    defineCommand("head", head),
    defineCommand("cut", cut),
    defineCommand("paste", paste),
  ];
}

function original(args: string[], context: Context): Promise<Result> {
  return context.origCommand!(args);
}

/** What a command reads: the bytes of its stdin or of a file. */
export async function inputOf(name: string, context: Context): Promise<string> {
  if (name === "-") return context.stdin as unknown as string;
  return latin1(await context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, name)));
}

/** Files come before folders, without empty lines between them, and the words of a refusal are GNU's. */
async function ls(args: string[], context: Context): Promise<Result> {
  const names = args.filter((argument) => !argument.startsWith("-"));
  const flags = args.filter((argument) => argument.startsWith("-"));
  const isFolder = async (name: string) => {
    const stat = await context.fs.stat(context.fs.resolvePath(context.cwd, name)).catch(() => undefined);
    return stat?.isDirectory === true && !flags.some((flag) => /^-[a-zA-Z]*d|^--directory$/.test(flag));
  };
  const folders: string[] = [];
  for (const name of names) if (await isFolder(name)) folders.push(name);
  const files = names.filter((name) => !folders.includes(name));
  const result = await original(files.length > 0 && folders.length > 0 ? [...flags, ...files] : args, context);
  if (files.length > 0) result.stdout = result.stdout.replace(/^\n/gm, "");
  if (files.length > 0 && folders.length > 0) {
    const rest = await original([...flags, ...folders], context);
    result.stdout += `${result.stdout ? "\n" : ""}${folders.length === 1 ? `${folders[0]}:\n` : ""}${rest.stdout}`;
    result.stderr += rest.stderr;
    result.exitCode ||= rest.exitCode;
  }
  const stderr = result.stderr.replace(/^ls: (?!cannot)(.*): No such file or directory$/gm, "ls: cannot access '$1': No such file or directory");
  return { ...result, stderr };
}

/** A byte given in octal is a byte, and no character of that number. */
async function printf([format = "", ...rest]: string[], context: Context): Promise<Result> {
  const hexadecimal = (_: string, digits: string) => `\\x${parseInt(digits, 8).toString(16).padStart(2, "0")}`;
  const given = format === "-v" ? rest : [format, ...rest];
  const at = format === "-v" ? 1 : 0;
  const bytes = (text: string) => text.replace(/(?<!\\)(?:\\\\)*\\([2-3][0-7]{2})/g, hexadecimal);
  return original([...(at ? ["-v"] : []), ...given.map((text, index) => (index === at ? bytes(text) : text))], context);
}

/** Several patterns are all looked for, and what is found below `.` is named from there. */
async function grep(given: string[], context: Context): Promise<Result> {
  const args = withOnePattern(given);
  const result = await original(args, context);
  const flags = args.filter((argument) => /^-[a-zA-Z]/.test(argument)).join("");
  const names = /r|R/.test(flags) && !/[hqs]*h/.test(flags) && args.at(-1) === ".";
  if (!names || result.stdout === "") return result;
  const stdout = result.stdout.replace(/^(?!--$)/gm, "./").replace(/\.\/$/, "");
  return { ...result, stdout };
}

function withOnePattern(args: string[]): string[] {
  const patterns: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const argument = args[at]!;
    if (argument === "-e" || argument === "--regexp") patterns.push(args[++at] ?? "");
    else if (argument.startsWith("--regexp=")) patterns.push(argument.slice("--regexp=".length));
    else rest.push(argument);
  }
  return patterns.length > 1 ? ["-e", patterns.join("\n"), ...rest] : args;
}

/** `-i.bak` keeps what was there. */
async function sed(args: string[], context: Context): Promise<Result> {
  const inPlace = args.find((argument) => /^-i.|^--in-place=./.test(argument));
  if (inPlace === undefined) return original(args, context);
  const ending = inPlace.replace(/^-i|^--in-place=/, "");
  const rest = args.map((argument) => (argument === inPlace ? "-i" : argument));
  for (const name of args.filter((argument) => !argument.startsWith("-"))) {
    const path = context.fs.resolvePath(context.cwd, name);
    if ((await context.fs.exists(path)) && (await context.fs.stat(path)).isFile) await context.fs.cp(path, path + ending);
  }
  return original(rest, context);
}

/** Counts stand in seven columns. */
async function uniq(args: string[], context: Context): Promise<Result> {
  const result = await original(args, context);
  const counts = args.some((argument) => argument === "--count" || /^-[a-z]*c/.test(argument));
  if (!counts) return result;
  return { ...result, stdout: result.stdout.replace(/^ *(\d+) /gm, (_, count: string) => `${count.padStart(7)} `) };
}

/** `-n -3` is everything but the last three lines. */
async function head(args: string[], context: Context): Promise<Result> {
  const joined = args.join("\0");
  const but = /(?:^|\0)(?:-([nc])\0?|--(lines|bytes)=)-(\d+)/.exec(joined);
  if (!but) return original(args, context);
  const kind = but[1] ?? but[2]!;
  const names = joined.replace(but[0], "").split("\0").filter((name) => name !== "" && (name === "-" || !name.startsWith("-")));
  const pieces: string[] = [];
  for (const name of names.length > 0 ? names : ["-"]) {
    let content: string;
    try {
      content = await inputOf(name, context);
    } catch {
      return { stdout: "", stderr: `head: cannot open '${name}' for reading: No such file or directory\n`, exitCode: 1 };
    }
    const units = kind.startsWith("n") || kind === "lines" ? (content.match(/[^\n]*\n|[^\n]+$/g) ?? []) : content.split("");
    if (names.length > 1) pieces.push(`${pieces.length > 0 ? "\n" : ""}==> ${name} <==\n`);
    pieces.push(units.slice(0, Math.max(0, units.length - Number(but[3]))).join(""));
  }
  return { stdout: pieces.join(""), stdoutKind: "bytes", stdoutEncoding: "binary", stderr: "", exitCode: 0 };
}

/** Bytes are counted as characters: only a character of several bytes tells the difference. */
async function cut(args: string[], context: Context): Promise<Result> {
  return original(args.map((argument) => argument.replace(/^-b/, "-c").replace(/^--bytes/, "--characters")), context);
}

/** `-sd,` is `-s -d ,`. */
async function paste(args: string[], context: Context): Promise<Result> {
  const apart = args.flatMap((argument) => {
    const both = /^-s(d)(.*)$/.exec(argument);
    return both ? ["-s", "-d", ...(both[2] ? [both[2]] : [])] : [argument];
  });
  const hasFile = apart.some((argument, index) => !argument.startsWith("-") && apart[index - 1] !== "-d");
  return original(hasFile || apart.includes("-") ? apart : [...apart, "-"], context);
}

