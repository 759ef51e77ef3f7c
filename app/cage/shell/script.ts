// What is changed in a script after it is read and before it runs: things that the shell does otherwise than people expect.
//
// - `{ …; } 2>&1` gives first everything from stdout and then everything from stderr, because the shell joins the two at the end of
//   the braces. So where both lead to the same place, each command inside joins its own.
// - A file that is run by its path is taken for a shell script. So it is run by a command that looks at its first line.
// - No command reads `/dev/stdin`. So it is written `-`.
// - A file that cannot be opened for `>` ends the whole script. So its refusal is kept (see files.ts), and a command after it says it
//   and fails.
import { type Parse, withNumbersFirst } from "./arithmetic";
import type { TransformContext, TransformPlugin } from "./syntax";
import type { Command, Redirection, SimpleCommand, Statement, Word, WordPart } from "./syntax";

/** Commands that have no file, each called by its whole path so that no `PATH` hides it. */
export const RUN_FILE = "/usr/bin/run-file";
export const TRAP = "/usr/bin/trap";
export const SETTLE = "/usr/bin/settle";

/** Prepares the scripts of one run; `joined` says that the first one's stderr goes where its stdout goes. */
export function preparation(joined: boolean, parse: Parse): TransformPlugin {
  let first = true;
  return {
    name: "satchel",
    transform({ ast }: TransformContext) {
      eachPipeline(ast, (command) => withNumbersFirst(command, parse));
      walk(ast);
      if (first && joined) joinStatements(ast.statements);
      eachPipeline(ast, settled);
      first = false;
      return { ast };
    },
  };
}

/** Looks at everything in a script, whatever it is nested in. */
function walk(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) walk(inner);
  const node = value as Command;
  if (node.type === "SimpleCommand") rewrite(node);
  else if ("redirections" in node && node.type !== "FunctionDef" && leadToOnePlace(node.redirections)) joinInside(node);
}

function rewrite(command: SimpleCommand): void {
  const name = command.name && literal(command.name);
  if (name?.includes("/") && !/^(\/usr)?\/bin\//.test(name)) {
    command.args.unshift(command.name!);
    command.name = word(RUN_FILE);
  } else if (name === "trap") {
    command.name = word(TRAP);
  }
  for (const [index, argument] of command.args.entries()) {
    if (literal(argument) === "/dev/stdin") command.args[index] = word("-");
  }
}

/** Replaces each command in a script, whatever it is nested in. */
function eachPipeline(value: unknown, replace: (command: Command) => Command): void {
  if (Array.isArray(value)) {
    for (const item of value) eachPipeline(item, replace);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) eachPipeline(inner, replace);
  if (isPipeline(value)) value.commands = value.commands.map(replace);
}

/** Lets a command that writes to files be followed by one that looks whether they could be opened. */
function settled(command: Command): Command {
  if (command.type === "FunctionDef" || (command.type === "SimpleCommand" && isExec(command))) return command;
  const targets = command.redirections.filter(isOutput).flatMap(({ target }) => (target.type === "Word" ? [target] : []));
  const files = targets.filter((target) => !/^(\d+|-|\/dev\/.*)$/.test(literal(target) ?? ""));
  if (files.length === 0) return command;
  const names = files.filter((file) => literal(file) !== undefined);
  const status: Word = { type: "Word", parts: [{ type: "ParameterExpansion", parameter: "?", operation: null }] };
  const look: Command = { type: "SimpleCommand", assignments: [], name: word(SETTLE), args: [status, ...names], redirections: [] };
  return { type: "Group", body: [command, look].map(statement), redirections: [] };
}

function isPipeline(value: object): value is { commands: Command[] } {
  return "type" in value && value.type === "Pipeline";
}

function isExec({ name }: SimpleCommand): boolean {
  return name !== null && literal(name) === "exec";
}

/** Joins stderr to stdout in each command of these statements, so that what they write stays in order. */
function joinStatements(statements: Statement[]): void {
  for (const { pipelines } of statements) {
    // What comes before a pipe has its stdout in the pipe, where its stderr must not go.
    for (const { commands } of pipelines) commands.push(joinCommand(commands.pop()!));
  }
}

function joinCommand(command: Command): Command {
  if (command.type === "FunctionDef") return command;
  if (command.type !== "SimpleCommand" && !command.redirections.some(isOutput)) {
    joinInside(command);
    return command;
  }
  // What an assignment says on stderr comes from the commands in it, so it needs braces to be redirected.
  if (command.type === "SimpleCommand" && command.name === null) return braces(command);
  // A redirection of `exec` would stay.
  if (command.type !== "SimpleCommand" || !isExec(command)) command.redirections.unshift(join());
  return command;
}

function braces(command: Command): Command {
  return { type: "Group", body: [statement(command)], redirections: [join()] };
}

function statement(command: Command): Statement {
  const pipeline = { type: "Pipeline" as const, commands: [command], negated: false };
  return { type: "Statement", pipelines: [pipeline], operators: [], background: false };
}

function joinInside(command: Command): void {
  switch (command.type) {
    case "If":
      for (const clause of command.clauses) {
        joinStatements(clause.condition);
        joinStatements(clause.body);
      }
      if (command.elseBody) joinStatements(command.elseBody);
      break;
    case "While":
    case "Until":
      joinStatements(command.condition);
      joinStatements(command.body);
      break;
    case "For":
    case "CStyleFor":
    case "Subshell":
    case "Group":
      joinStatements(command.body);
      break;
    case "Case":
      for (const item of command.items) joinStatements(item.body);
      break;
    case "ArithmeticCommand":
    case "ConditionalCommand":
      command.redirections.unshift(join());
      break;
    case "SimpleCommand":
    case "FunctionDef":
      break;
  }
}

/** Whether stdout and stderr lead to the same place after these redirections. */
function leadToOnePlace(redirections: Redirection[]): boolean {
  const places: Record<number, unknown> = { 1: "stdout", 2: "stderr" };
  for (const redirection of redirections) {
    const { operator, fd, target } = redirection;
    if (!isOutput(redirection)) continue;
    if (operator === "&>" || operator === "&>>") places[1] = places[2] = target;
    else if (operator === ">&" && target.type === "Word") {
      const other = places[Number(literal(target))];
      if (other === undefined && fd === null) places[1] = places[2] = target;
      else places[fd ?? 1] = other ?? target;
    }
    else places[fd ?? 1] = target;
  }
  return places[1] === places[2];
}

function isOutput({ operator, fd }: Redirection): boolean {
  return operator.includes(">") && operator !== "<>" && (fd ?? 1) < 3;
}

function join(): Redirection {
  return { type: "Redirection", fd: 2, operator: ">&", target: word("1") };
}

function word(value: string): Word {
  return { type: "Word", parts: [{ type: "Literal", value }] };
}

/** The text of a word in which nothing is expanded. */
function literal({ parts }: { parts: WordPart[] }): string | undefined {
  const values = parts.map((part) => ("value" in part ? part.value : part.type === "DoubleQuoted" ? literal(part) : undefined));
  return values.includes(undefined) ? undefined : values.join("");
}
