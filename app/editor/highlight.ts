// The colours of code that is only read, in an answer: pieces of the text, each with what it is. Whoever asked makes elements of them, so
// that no HTML is ever made of code.
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";

import { parserOf } from "./languages";

/** The names end in classes of app/style/renderers/document.css; they mean what look.ts means by its colours. */
const KINDS = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword, tags.heading], class: "keyword" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.character, tags.link, tags.url], class: "string" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], class: "number" },
  { tag: [tags.comment, tags.meta], class: "comment" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.labelName], class: "name" },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], class: "name" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], class: "type" },
  { tag: tags.inserted, class: "inserted" },
  { tag: [tags.deleted, tags.invalid], class: "deleted" },
]);

/** The text in pieces: a piece, what it is, the next piece, what that is, and so on. Nothing for a language that has no colours. */
export async function highlight(text: string, language: string): Promise<string[]> {
  const parser = await parserOf(language);
  if (!parser) return [];
  const pieces: string[] = [];
  const put = (piece: string, kind: string) => {
    if (pieces.at(-1) === kind) pieces[pieces.length - 2] += piece;
    else pieces.push(piece, kind);
  };
  highlightCode(text, parser.parse(text), KINDS, put, () => put("\n", pieces.at(-1) ?? ""));
  return pieces;
}
