// How the code view looks: the tokens of app/style/tokens.css, and nothing of its own.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.character], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], color: "var(--code-number)" },
  { tag: [tags.comment, tags.meta], color: "var(--text-muted)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.labelName], color: "var(--code-name)" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], color: "var(--code-type)" },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], color: "var(--code-name)" },
  { tag: tags.heading, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--code-string)", textDecoration: "underline" },
  { tag: tags.inserted, color: "var(--good)" },
  { tag: [tags.deleted, tags.invalid], color: "var(--bad)" },
]);

export const look = EditorView.theme({
  // Where the view is part of a longer page, that says how high it may become.
  "&": { height: "100%", maxHeight: "var(--code-most, none)", backgroundColor: "var(--raised)", color: "var(--text)", fontSize: "var(--size-small)" },
  // The gutter would cut a ring in two; the pane shows where the keys go (app/style/workspace.css).
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-code)", lineHeight: "1.55" },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--accent)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--text-muted)", border: "0", paddingRight: "0.25rem" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.25rem" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 45%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  ".cm-selectionMatch": { backgroundColor: "var(--news-soft)" },
  ".cm-searchMatch": { backgroundColor: "var(--caution-soft)", outline: "1px solid var(--caution)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--good-soft)", outline: "1px solid var(--good)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-soft)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--hover)", borderColor: "var(--line)", color: "var(--text-muted)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "0.5rem", fontFamily: "var(--font)" },
  ".cm-textfield": { backgroundColor: "var(--raised)", border: "1px solid var(--line-strong)", borderRadius: "0.25rem" },
  ".cm-button": { backgroundColor: "var(--raised)", backgroundImage: "none", border: "1px solid var(--line-button)", borderRadius: "0.25rem" },
  ".cm-specialChar": { color: "var(--bad)" },
  // Two versions in one view.
  ".cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--good-soft)" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-soft)", paddingLeft: "0.375rem" },
  ".cm-changedText, &.cm-merge-b .cm-changedText": {
    background: "color-mix(in srgb, var(--good) 22%, transparent)",
  },
  ".cm-deletedChunk .cm-deletedText, &.cm-merge-b .cm-deletedText": {
    background: "color-mix(in srgb, var(--bad) 22%, transparent)",
    textDecoration: "none",
  },
  ".cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter": { backgroundColor: "var(--good)" },
  ".cm-deletedLineGutter": { backgroundColor: "var(--bad)" },
  ".cm-collapsedLines": {
    background: "var(--sunken)",
    color: "var(--text-muted)",
    fontFamily: "var(--font)",
  },
  // Few fonts have the sign it would take.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"\u22ef"' },
});
