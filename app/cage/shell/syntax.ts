// The parts of a script that are looked at. The shell's package has these types, and does not give them out.

export interface Script {
  type: "Script";
  statements: Statement[];
}

export interface Statement {
  type: "Statement";
  pipelines: { type: "Pipeline"; commands: Command[]; negated: boolean }[];
  operators: string[];
  background: boolean;
}

export interface SimpleCommand {
  type: "SimpleCommand";
  assignments: unknown[];
  name: Word | null;
  args: Word[];
  redirections: Redirection[];
}

export type Command =
  | SimpleCommand
  | { type: "FunctionDef"; body: Command; redirections: Redirection[] }
  | {
      type: "If";
      clauses: { condition: Statement[]; body: Statement[] }[];
      elseBody: Statement[] | null;
      redirections: Redirection[];
    }
  | { type: "While" | "Until"; condition: Statement[]; body: Statement[]; redirections: Redirection[] }
  | { type: "For" | "CStyleFor" | "Subshell" | "Group"; body: Statement[]; redirections: Redirection[] }
  | { type: "Case"; items: { body: Statement[] }[]; redirections: Redirection[] }
  | { type: "ArithmeticCommand" | "ConditionalCommand"; redirections: Redirection[] };

export interface Redirection {
  type: "Redirection";
  fd: number | null;
  operator: string;
  target: Word | { type: "HereDoc" };
}

export interface Word {
  type: "Word";
  parts: WordPart[];
}

export type WordPart =
  | { type: "Literal" | "SingleQuoted" | "Escaped"; value: string }
  | { type: "DoubleQuoted"; parts: WordPart[] }
  | { type: "ParameterExpansion"; parameter: string; operation: unknown }
  | { type: "CommandSubstitution" | "Glob" };

export interface TransformContext {
  ast: Script;
}

/** Sees every script before it runs. */
export interface TransformPlugin {
  name: string;
  transform(context: TransformContext): { ast: Script };
}
