// The languages that have colours, each a file of its own that is loaded when the first such text is shown. The names are
// those of core's `language_of`; one that is not here is shown plain.
import { Language, LanguageSupport, StreamLanguage, type StreamParser } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

const stream = (parser: StreamParser<unknown>): Extension => StreamLanguage.define(parser);

const LANGUAGES: Record<string, () => Promise<Extension>> = {
  python: async () => (await import("@codemirror/lang-python")).python(),
  javascript: async () => (await import("@codemirror/lang-javascript")).javascript(),
  jsx: async () => (await import("@codemirror/lang-javascript")).javascript({ jsx: true }),
  typescript: async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true }),
  tsx: async () => (await import("@codemirror/lang-javascript")).javascript({ jsx: true, typescript: true }),
  json: async () => (await import("@codemirror/lang-json")).json(),
  html: async () => (await import("@codemirror/lang-html")).html(),
  vue: async () => (await import("@codemirror/lang-html")).html(),
  css: async () => (await import("@codemirror/lang-css")).css(),
  scss: async () => (await import("@codemirror/lang-css")).css(),
  less: async () => (await import("@codemirror/lang-css")).css(),
  markdown: async () => (await import("@codemirror/lang-markdown")).markdown(),
  yaml: async () => (await import("@codemirror/lang-yaml")).yaml(),
  rust: async () => (await import("@codemirror/lang-rust")).rust(),
  sql: async () => (await import("@codemirror/lang-sql")).sql(),
  xml: async () => (await import("@codemirror/lang-xml")).xml(),
  shell: async () => stream((await import("@codemirror/legacy-modes/mode/shell")).shell),
  toml: async () => stream((await import("@codemirror/legacy-modes/mode/toml")).toml),
  properties: async () => stream((await import("@codemirror/legacy-modes/mode/properties")).properties),
  dockerfile: async () => stream((await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile),
  diff: async () => stream((await import("@codemirror/legacy-modes/mode/diff")).diff),
};

/** What makes a text of this language coloured; nothing for a language that is not known. */
export async function languageOf(name: string): Promise<Extension> {
  // A name may come from anybody: `constructor` is no language.
  return Object.hasOwn(LANGUAGES, name) ? await LANGUAGES[name]() : [];
}

/** What takes a text of this language apart; nothing for a language that is not known. */
export async function parserOf(name: string): Promise<Language["parser"] | undefined> {
  const extension = await languageOf(name);
  if (extension instanceof LanguageSupport) return extension.language.parser;
  return extension instanceof Language ? extension.parser : undefined;
}
