// `$(( $(command) + 1 ))`: the package runs such a command in a shell that knows none of the script's variables and functions. So it
// is taken out: its result is put into a variable before the command that uses it, and the variable stands in its place.
import type { Command, Script, Statement } from "./syntax";

interface Substitution {
  type: "ArithCommandSubst" | "ArithVariable";
  command?: string;
  name?: string;
}

/** Reads a script. */
export type Parse = (text: string) => Script;

let count = 0;

/** The command, after those from which its arithmetic takes numbers. */
export function withNumbersFirst(command: Command, parse: Parse): Command {
  const found: Substitution[] = [];
  collect(wordsOf(command), found);
  if (found.length === 0) return command;
  const before = found.map((substitution) => {
    const name = `__satchel_number_${++count}`;
    const body = parse(substitution.command!);
    substitution.type = "ArithVariable";
    substitution.name = name;
    delete substitution.command;
    return assignment(name, body);
  });
  const pipeline = { type: "Pipeline" as const, commands: [command], negated: false };
  const last: Statement = { type: "Statement", pipelines: [pipeline], operators: [], background: false };
  return { type: "Group", body: [...before, last], redirections: [] };
}

/** `name=$(body) || :`, so that a failure in there ends nothing. */
function assignment(name: string, body: Script): Statement {
  const value = { type: "Word", parts: [{ type: "CommandSubstitution", body, legacy: false }] };
  const assignments = [{ type: "Assignment", name, value, append: false, array: null }];
  const simple = (command: object) => ({
    type: "Pipeline" as const,
    commands: [{ type: "SimpleCommand", assignments: [], name: null, args: [], redirections: [], ...command } as Command],
    negated: false,
  });
  const nothing = { type: "Word", parts: [{ type: "Literal", value: ":" }] };
  return { type: "Statement", pipelines: [simple({ assignments }), simple({ name: nothing })], operators: ["||"], background: false };
}

/** What a command expands itself, not what is run inside of it. */
function wordsOf(command: Command): unknown {
  switch (command.type) {
    case "SimpleCommand":
      return [command.assignments, command.name, command.args, command.redirections];
    case "For":
    case "Case":
    case "ArithmeticCommand":
    case "ConditionalCommand":
      return Object.entries(command).flatMap(([name, value]) => (name === "body" || name === "items" ? [] : [value]));
    case "CStyleFor":
    case "If":
    case "While":
    case "Until":
    case "Subshell":
    case "Group":
    case "FunctionDef":
      return [];
  }
}

function collect(value: unknown, found: Substitution[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const node = value as { type?: string; originalText?: string };
  if (node.type === "Script") return;
  if (node.type === "ArithCommandSubst") {
    found.push(node as Substitution);
    return;
  }
  const before = found.length;
  for (const inner of Object.values(node)) collect(inner, found);
  if (found.length > before) delete node.originalText;
}
