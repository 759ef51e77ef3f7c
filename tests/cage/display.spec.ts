// Display: pictures, tables, HTML and Markdown beside the result (R305).
import { Cage, expect, test } from "./harness";

const TOOLSET = {
  "tools/shows.py": `
import satchel
from satchel import Html, Image, Json, Markdown, Svg, Table

PNG = b"\\x89PNG\\r\\n\\x1a\\n" + bytes(8)

class Rich:
    def _repr_html_(self): return "<b>rich</b>"
    def _repr_markdown_(self): return "**rich**"
    def _repr_svg_(self): return "<svg/>"
    def _repr_png_(self): return PNG
    def _repr_jpeg_(self): return (b"\\xff\\xd8\\xff", {"width": 3})
    def _repr_latex_(self): return "$x$"
    def _repr_json_(self): return {"a": 1}
    def __repr__(self): return "Rich()"

class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": "<i>b</i>", "image/png": PNG}, {}

class Picture:
    mode, size = "RGB", (1, 1)
    def save(self, file, format):
        file.write(PNG + format.encode())

def helpers(workspace):
    (workspace / "p.png").write_bytes(PNG)
    print("before")
    display(Html("<p>ü</p>"), Markdown("# ü"), Svg("<svg/>"), Json([1, {"a": None}]))
    print("after")
    satchel.display(Image(workspace / "p.png"), Image(b"RIFF....WEBP"), Table([[1, "<x>"]], columns=["a", "b"]))
    return {}

def rich():
    display(Rich(), Bundle(), Picture(), [{"a": 1}, {"b": "<script>"}], "text", 3, Rich)
    return {}

def too_much():
    display(Html("x" * 11_000_000))
    return {}

def plots():
    import matplotlib.pyplot as plt
    plt.figure(); plt.figure()
    plt.show()
    return {"left": plt.get_fignums(), "backend": plt.backend}
`,
  // A stand-in with the parts of matplotlib that the hook meets. The real one cannot be had from the registries: neither it nor numpy, Pillow
  // or kiwisolver, which it needs, has a wheel on PyPI in pure Python or for the Pyodide of the app (cp314, pyemscripten_2026_0_wasm32).
  "matplotlib/__init__.py": "",
  "matplotlib/pyplot.py": `
import os
backend = os.environ["MPLBACKEND"]
_figures = {}

class Figure:
    def __init__(self, number): self.number = number
    def savefig(self, file, format, bbox_inches):
        assert (format, bbox_inches) == ("png", "tight")
        file.write(b"\\x89PNG figure %d" % self.number)

def figure(number=None):
    number = number or len(_figures) + 1
    return _figures.setdefault(number, Figure(number))

def get_fignums(): return sorted(_figures)
def close(which): _figures.clear()
def show(): raise RuntimeError("no screen")
`,
};

test("things are shown as all that they can be shown as, in order", async ({ cages }) => {
  const cage = await Cage.with(cages, TOOLSET);
  const shown = async (entrypoint: string) => {
    const { said, outcome } = await cage.call(entrypoint);
    expect(outcome, outcome.traceback).toMatchObject({ type: "result" });
    // Text may come in any pieces; where it stands among the rest is told.
    const texts: (string | object)[] = [];
    for (const { bundle, text } of said) {
      if (bundle) texts.push(bundle);
      else if (typeof texts.at(-1) === "string") texts.push(texts.pop() + text!);
      else texts.push(text!);
    }
    return texts;
  };
  const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");
  const png = base64("\x89PNG\r\n\x1a\n" + "\0".repeat(8));
  expect(await shown("tools.shows:helpers")).toEqual([
    "before\n",
    { "text/html": "<p>ü</p>", "text/plain": "<Html>" },
    { "text/markdown": "# ü", "text/plain": "# ü" },
    { "image/svg+xml": "<svg/>", "text/plain": "<Svg>" },
    { "application/json": '[1, {"a": null}]', "text/plain": '[1, {"a": null}]' },
    "after\n",
    { "image/png": png, "text/plain": "<Image of 16 bytes>" },
    { "image/webp": base64("RIFF....WEBP"), "text/plain": "<Image of 12 bytes>" },
    {
      "text/html": "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>&lt;x&gt;</td></tr></tbody></table>",
      "text/plain": "<Table>",
    },
  ]);
  const [rich, bundle, picture, table, text, number, kind] = await shown("tools.shows:rich");
  expect(rich).toEqual({
    "text/html": "<b>rich</b>",
    "text/markdown": "**rich**",
    "image/svg+xml": "<svg/>",
    "image/png": png,
    "image/jpeg": base64("\xff\xd8\xff"),
    "text/latex": "$x$",
    "application/json": '{"a": 1}',
    "text/plain": "Rich()",
  });
  expect(bundle).toMatchObject({ "text/html": "<i>b</i>", "image/png": png });
  expect(picture).toMatchObject({ "image/png": base64("\x89PNG\r\n\x1a\n" + "\0".repeat(8) + "PNG") });
  expect((table as any)["text/html"]).toContain("<td></td><td>&lt;script&gt;</td>");
  expect([text, number]).toEqual([{ "text/plain": "text" }, { "text/plain": "3" }]);
  expect((kind as any)["text/plain"]).toContain("class 'tools.shows.Rich'");

  const much = (await cage.call("tools.shows:too_much")).outcome;
  expect(much.message).toBe(
    "ValueError: Html cannot be displayed: it has 11,000,006 bytes, and 10,485,760 are shown at most; write it to a file of the workspace",
  );

  const plots = await cage.call("tools.shows:plots");
  expect(plots.outcome).toEqual({ type: "result", value: { left: [], backend: "Agg" } });
  expect(plots.said.map(({ bundle }) => bundle!["image/png"])).toEqual([base64("\x89PNG figure 1"), base64("\x89PNG figure 2")]);
});
