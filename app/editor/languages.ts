// The languages that have colours, each a file of its own that is loaded when the first such text is shown. The names are
// those of core's `language_of`; one that is not here is shown plain.
import { Language, LanguageSupport, StreamLanguage, type StreamParser } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

const stream = (parser: StreamParser<unknown>): Extension => StreamLanguage.define(parser);
const cFamily = () => import("@codemirror/legacy-modes/mode/clike");
const words = (list: string) => Object.fromEntries(list.split(" ").map((word) => [word, true]));

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
  go: async () => stream((await import("@codemirror/legacy-modes/mode/go")).go),
  java: async () => stream((await cFamily()).java),
  kotlin: async () => stream((await cFamily()).kotlin),
  c: async () => stream((await cFamily()).c),
  cpp: async () => stream((await cFamily()).cpp),
  csharp: async () => stream((await cFamily()).csharp),
  php: async () => stream(php(await cFamily())),
  ruby: async () => stream((await import("@codemirror/legacy-modes/mode/ruby")).ruby),
  lua: async () => stream((await import("@codemirror/legacy-modes/mode/lua")).lua),
  r: async () => stream((await import("@codemirror/legacy-modes/mode/r")).r),
  swift: async () => stream((await import("@codemirror/legacy-modes/mode/swift")).swift),
  powershell: async () => stream((await import("@codemirror/legacy-modes/mode/powershell")).powerShell),
  makefile: async () => stream(makefile(await import("@codemirror/legacy-modes/mode/simple-mode"))),
};

/** PHP, which has no mode of its own: the code alone, without the page around it. */
function php({ clike }: Awaited<ReturnType<typeof cFamily>>): StreamParser<unknown> {
  const toEnd = (text: { skipToEnd(): void }) => (text.skipToEnd(), "comment");
  return clike({
    name: "php",
    keywords: words(
      "abstract and as break case catch class clone const continue declare default do echo else elseif enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield",
    ),
    types: words("array bool callable float int iterable mixed never object parent self string void"),
    blockKeywords: words("catch do else elseif for foreach finally if switch try while"),
    atoms: words("true false null TRUE FALSE NULL"),
    multiLineStrings: true,
    hooks: {
      $: (text: { eatWhile(letters: RegExp): void }) => (text.eatWhile(/\w/), "variableName.special"),
      "#": (text: { skipToEnd(): void; match(word: string): boolean }) => (text.match("[") ? "meta" : toEnd(text)),
      "<": (text: { match(word: RegExp): boolean }) => (text.match(/^\?(php|=)?/) ? "meta" : false),
    },
  });
}

/** Makefiles, which have none either. */
function makefile({ simpleMode }: typeof import("@codemirror/legacy-modes/mode/simple-mode")): StreamParser<unknown> {
  return simpleMode({
    start: [
      { regex: /#.*/, token: "comment" },
      { regex: /\$[({][^)}]*[)}]|\$[@<^?*%+|$\w]/, token: "atom" },
      { regex: /-?include\b|if(n?eq|n?def)\b|else\b|endif\b|define\b|endef\b|export\b|override\b|vpath\b/, sol: true, token: "keyword" },
      { regex: /[^\s#$:=][^#$:=]*(?=::?([^=]|$))/, sol: true, token: "labelName" },
      { regex: /[\w.-]+(?=\s*[:?+!]*=)/, sol: true, token: "propertyName" },
      { regex: /"(?:[^"\\]|\\.)*"|'[^']*'/, token: "string" },
      { regex: /[^\s#$"']+/, token: null },
    ],
    languageData: { commentTokens: { line: "#" } },
  });
}

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
