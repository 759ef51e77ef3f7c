// The code view: CodeMirror in a shadow root, behind the few words that app/src/browser/editor.rs knows.
//
// The page's policy allows no inline style. In a shadow root CodeMirror keeps its styles in adopted style sheets, which that
// policy does not concern. Colours are the tokens of the page, which reach into the shadow root, so light and dark need no code.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";

import { highlight } from "./highlight";
import { languageOf } from "./languages";
import { colours, look } from "./look";

/** What a view is opened with. `language` is a word of core's `language_of`. */
interface Options {
  text: string;
  language: string;
  /** What a screen reader calls it. */
  label: string;
  /** The number of its first line, where it is a part of a longer text. */
  firstLine?: number;
  /** Told after each change by the user; absent where there is nothing to edit. */
  onChange?: () => void;
  /** Told when the user asks to save. */
  onSave?: () => void;
}

/** A view that is on the screen. */
interface Handle {
  text(): string;
  /** Puts other text in place of what is there, without telling of a change. */
  replace(text: string): void;
  focus(): void;
  close(): void;
}

/** Shows a text, to be edited where somebody listens to changes. */
function open(host: HTMLElement, options: Options): Handle {
  const { onChange, onSave } = options;
  // A change by `replace` is not one by the user.
  let ours = false;
  const changes = EditorView.updateListener.of((update) => {
    if (update.docChanged && !ours) onChange?.();
  });
  const save = keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (onSave?.(), true) }]);
  const view = show(host, options, onChange ? [save, keymap.of([indentWithTab]), changes] : readOnly());
  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      ours = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      ours = false;
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

/** Shows what became of a text, with what was taken away between the lines. */
function compare(host: HTMLElement, before: string, after: string, language: string, label: string): Handle {
  const differences = unifiedMergeView({
    original: before,
    mergeControls: false,
    gutter: true,
    collapseUnchanged: { margin: 3, minSize: 6 },
    // A file without a line in common is not worth a minute of the page's time.
    diffConfig: { scanLimit: 2_000, timeout: 500 },
  });
  const view = show(host, { text: after, language, label }, [readOnly(), differences]);
  return { text: () => view.state.doc.toString(), replace: () => {}, focus: () => view.focus(), close: () => view.destroy() };
}

function show(host: HTMLElement, { text, language, label, firstLine = 1 }: Options, more: Extension): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const highlighting = new Compartment();
  const state = EditorState.create({
    doc: text,
    extensions: [
      more,
      lineNumbers({ formatNumber: (line) => String(line + firstLine - 1) }),
      foldGutter(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      search({ top: true }),
      keymap.of([...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label }),
      syntaxHighlighting(colours),
      highlighting.of([]),
      look,
    ],
  });
  const view = new EditorView({ state, root, parent: root as unknown as Element });
  // The text is there at once; its colours come when the language has been loaded, and never where it cannot be.
  languageOf(language).then(
    (extension) => view.dispatch({ effects: highlighting.reconfigure(extension) }),
    () => {},
  );
  return view;
}

function readOnly(): Extension {
  // It takes the focus all the same, so that it can be scrolled and searched by keyboard.
  return [EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ tabindex: "0" })];
}

// The page asks for this script by name and finds it here: Rust compiled to WebAssembly has no way to import a module.
(globalThis as { satchelEditor?: unknown }).satchelEditor = { open, compare, highlight };
