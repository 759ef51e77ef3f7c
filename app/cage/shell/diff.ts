// `diff`, whole: the package's knows only the unified form, and no folders.
import { diffArrays } from "diff";
import { type Command, type ResolvedCommandContext, defineCommand } from "just-bash/browser";

import { decode } from "./lossless_text";

type Context = ResolvedCommandContext;
type Result = Awaited<ReturnType<Command["execute"]>>;

interface Options {
  /** Lines around a change; nothing for the normal form. */
  around?: number;
  brief: boolean;
  recursive: boolean;
  absent: boolean;
  same: boolean;
  key: (line: string) => string;
  asGiven: string[];
}

/** A run of lines that were taken out at one place and put in there. */
interface Change {
  from: number;
  to: number;
  removed: string[];
  added: string[];
}

export const diff = defineCommand("diff", run);

async function run(args: string[], context: Context): Promise<Result> {
  const options: Options = { brief: false, recursive: false, absent: false, same: false, key: (line) => line, asGiven: [] };
  const names: string[] = [];
  const keys: ((line: string) => string)[] = [];
  for (const argument of args) {
    const letters = /^-[a-zA-Z]+$/.test(argument) ? argument.slice(1).split("") : [LONG[argument] ?? ""];
    if (!argument.startsWith("-") || argument === "-") names.push(argument);
    else if (/^(-U|--unified=)\d+$/.test(argument)) options.around = Number(/\d+/.exec(argument)![0]);
    else {
      for (const letter of letters) {
        if (letter === "u") options.around = 3;
        else if (letter === "q") options.brief = true;
        else if (letter === "r") options.recursive = true;
        else if (letter === "N") options.absent = true;
        else if (letter === "s") options.same = true;
        else if (letter === "i") keys.push((line) => line.toLowerCase());
        else if (letter === "w") keys.push((line) => line.replace(/\s+/g, ""));
        else if (letter === "b") keys.push((line) => line.replace(/[ \t]+/g, " ").trimEnd());
        else if (letter !== "a" && letter !== "d") return trouble(`diff: invalid option -- '${letter || argument.replace(/^-+/, "")}'\n`);
      }
      options.asGiven.push(argument);
    }
  }
  options.key = (line) => keys.reduce((text, key) => key(text), line);
  const [first, second] = names;
  if (first === undefined || second === undefined) return trouble(`diff: missing operand after '${args.at(-1) ?? "diff"}'\n`);
  return compare(first, second, options, context);
}

const LONG: Record<string, string> = {
  "--unified": "u",
  "--brief": "q",
  "--recursive": "r",
  "--new-file": "N",
  "--report-identical-files": "s",
  "--ignore-case": "i",
  "--ignore-all-space": "w",
  "--ignore-space-change": "b",
  "--text": "a",
};

function trouble(stderr: string): Result {
  return { stdout: "", stderr, exitCode: 2 };
}

async function compare(first: string, second: string, options: Options, context: Context): Promise<Result> {
  const kinds = await Promise.all([kindOf(first, context), kindOf(second, context)]);
  if (kinds[0] === "folder" && kinds[1] === "folder") return compareFolders(first, second, options, context);
  const last = (name: string) => name.slice(name.replace(/\/$/, "").lastIndexOf("/") + 1);
  if (kinds[0] === "folder") return compare(`${first.replace(/\/$/, "")}/${last(second)}`, second, options, context);
  if (kinds[1] === "folder") return compare(first, `${second.replace(/\/$/, "")}/${last(first)}`, options, context);
  const missing = [first, second].filter((_, index) => kinds[index] === "missing" && !options.absent);
  if (missing.length > 0) return trouble(missing.map((name) => `diff: ${name}: No such file or directory\n`).join(""));
  const texts = await Promise.all([first, second].map((name, index) => (kinds[index] === "missing" ? "" : textOf(name, context))));
  const [before, after] = texts.map(linesOf) as [string[], string[]];
  const changes = changesBetween(before, after, options.key);
  if (changes.length === 0) {
    return { stdout: options.same ? `Files ${first} and ${second} are identical\n` : "", stderr: "", exitCode: 0 };
  }
  const isBinary = texts.some((text) => text.includes("\0"));
  let stdout: string;
  if (isBinary) stdout = `Binary files ${first} and ${second} differ\n`;
  else if (options.brief) stdout = `Files ${first} and ${second} differ\n`;
  else if (options.around === undefined) stdout = changes.map(normal).join("");
  else {
    const heads = await Promise.all([first, second].map((name) => dated(name, context)));
    stdout = `--- ${heads[0]}\n+++ ${heads[1]}\n${unified(changes, before, after, options.around)}`;
  }
  return { stdout, stderr: "", exitCode: 1 };
}

async function compareFolders(first: string, second: string, options: Options, context: Context): Promise<Result> {
  const at = (name: string) => context.fs.resolvePath(context.cwd, name);
  const [left, right] = await Promise.all([context.fs.readdir(at(first)), context.fs.readdir(at(second))]);
  const total = { stdout: "", stderr: "", exitCode: 0 };
  for (const name of [...new Set([...left, ...right])].sort()) {
    const pair = [`${first.replace(/\/$/, "")}/${name}`, `${second.replace(/\/$/, "")}/${name}`] as const;
    const only = !left.includes(name) ? second : !right.includes(name) ? first : undefined;
    if (only !== undefined && !options.absent) {
      total.stdout += `Only in ${only.replace(/\/$/, "")}: ${name}\n`;
      total.exitCode = Math.max(total.exitCode, 1);
      continue;
    }
    const kinds = await Promise.all(pair.map((path) => kindOf(path, context)));
    if (kinds.every((kind) => kind === "folder") && !options.recursive) {
      total.stdout += `Common subdirectories: ${pair[0]} and ${pair[1]}\n`;
      continue;
    }
    const result = await compare(pair[0], pair[1], options, context);
    const showsContent = result.exitCode === 1 && !options.brief && kinds.every((kind) => kind !== "folder");
    const title = showsContent ? `diff ${[...options.asGiven, ...pair].join(" ")}\n` : "";
    total.stdout += title + result.stdout;
    total.stderr += result.stderr;
    total.exitCode = Math.max(total.exitCode, result.exitCode);
  }
  return total;
}

async function kindOf(name: string, context: Context): Promise<"file" | "folder" | "missing"> {
  if (name === "-") return "file";
  const stat = await context.fs.stat(context.fs.resolvePath(context.cwd, name)).catch(() => undefined);
  return !stat ? "missing" : stat.isDirectory ? "folder" : "file";
}

async function textOf(name: string, context: Context): Promise<string> {
  if (name === "-") return decode(Uint8Array.from(context.stdin as unknown as string, (byte) => byte.charCodeAt(0)));
  return decode(await context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, name)));
}

async function dated(name: string, context: Context): Promise<string> {
  const stat = await context.fs.stat(context.fs.resolvePath(context.cwd, name)).catch(() => undefined);
  const time = (stat?.mtime ?? new Date(name === "-" ? Date.now() : 0)).toISOString();
  return `${name}\t${time.slice(0, 10)} ${time.slice(11, 23)}000000 +0000`;
}

/** The lines, each with its end; the last may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function changesBetween(before: string[], after: string[], key: (line: string) => string): Change[] {
  const changes: Change[] = [];
  let from = 0;
  let to = 0;
  let open: Change | undefined;
  for (const part of diffArrays(before.map(key), after.map(key))) {
    const { length } = part.value;
    if (!part.added && !part.removed) {
      open = undefined;
      from += length;
      to += length;
      continue;
    }
    if (!open) changes.push((open = { from, to, removed: [], added: [] }));
    if (part.removed) {
      open.removed.push(...before.slice(from, from + length));
      from += length;
    } else {
      open.added.push(...after.slice(to, to + length));
      to += length;
    }
  }
  return changes;
}

function marked(mark: string, lines: string[]): string {
  return lines.map((line) => (line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`)).join("");
}

function normal({ from, to, removed, added }: Change): string {
  const range = (start: number, count: number) => (count > 1 ? `${start + 1},${start + count}` : String(count === 1 ? start + 1 : start));
  const letter = removed.length === 0 ? "a" : added.length === 0 ? "d" : "c";
  const between = letter === "c" ? "---\n" : "";
  return `${range(from, removed.length)}${letter}${range(to, added.length)}\n${marked("< ", removed)}${between}${marked("> ", added)}`;
}

function unified(changes: Change[], before: string[], after: string[], around: number): string {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last && change.from - (last.from + last.removed.length) <= 2 * around) hunks.at(-1)!.push(change);
    else hunks.push([change]);
  }
  return hunks.map((hunk) => unifiedHunk(hunk, before, after, around)).join("");
}

function unifiedHunk(hunk: Change[], before: string[], after: string[], around: number): string {
  const [first, last] = [hunk[0]!, hunk.at(-1)!];
  const start = Math.max(0, first.from - around);
  const end = Math.min(before.length, last.from + last.removed.length + around);
  const startAfter = first.to - (first.from - start);
  const endAfter = last.to + last.added.length + (end - last.from - last.removed.length);
  const range = (begin: number, stop: number) => {
    const count = stop - begin;
    return count === 1 ? String(begin + 1) : `${count === 0 ? begin : begin + 1},${count}`;
  };
  let text = `@@ -${range(start, end)} +${range(startAfter, Math.min(endAfter, after.length))} @@\n`;
  let at = start;
  for (const { from, removed, added } of hunk) {
    text += marked(" ", before.slice(at, from)) + marked("-", removed) + marked("+", added);
    at = from + removed.length;
  }
  return text + marked(" ", before.slice(at, end));
}
