"""The tools of the builder, called as plain functions: `python -m unittest discover -s tests -t .` in this folder."""

import shutil
import tempfile
import unittest
from pathlib import Path

from tools.files import read_file, replace_text, write_file
from tools.shell import run_command
from tools.site import new_site, preview


class Builder(unittest.TestCase):
    """An empty workspace."""

    def setUp(self) -> None:
        self.workspace = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.workspace)

    def refused(self, kind: type[Exception], words: str, tool, *args, **named) -> None:
        with self.assertRaises(kind) as caught:
            tool(self.workspace, *args, **named)
        self.assertIn(words, str(caught.exception))

    def test_a_file_is_written_read_and_changed_in_one_place(self) -> None:
        self.assertEqual(
            write_file(self.workspace, "css/page.css", "a {\n  color: red;\n}\n"),
            {"path": "css/page.css", "lines": 3, "new": True},
        )
        read = read_file(self.workspace, "./css/page.css", first_line=2, lines=1)
        self.assertEqual((read["text"], read["all_lines"]), ("  color: red;\n", 3))
        changed = replace_text(self.workspace, "css/page.css", "red", "blue")
        self.assertIn("-  color: red;\n+  color: blue;", changed["difference"])
        self.assertIn("blue", (self.workspace / "css/page.css").read_text())

    def test_what_is_not_there_or_not_clear_says_so(self) -> None:
        self.refused(FileNotFoundError, "the workspace is empty", read_file, "a.txt")
        write_file(self.workspace, "index.html", "x x")
        self.refused(FileNotFoundError, "did you mean 'index.html'?", read_file, "indx.html")
        self.refused(ValueError, "2 times", replace_text, "index.html", "x", "y")
        self.refused(ValueError, "no such text", replace_text, "index.html", "z", "y")
        self.refused(ValueError, "is no file of the workspace", write_file, "../out.txt", "")
        (self.workspace / "a.bin").write_bytes(b"\xff\xfe\x00")
        self.refused(ValueError, "is no text file", read_file, "a.bin")

    def test_a_site_is_begun_once_and_previewed(self) -> None:
        begun = new_site(self.workspace, "Tea & <b>cake</b>", folder="site")
        self.assertEqual(begun["written"], ["site/index.html", "site/script.js", "site/style.css"])
        self.assertIn("<h1>Tea &amp; &lt;b&gt;cake&lt;/b&gt;</h1>", (self.workspace / begun["page"]).read_text())
        self.refused(FileExistsError, "site/index.html", new_site, "Again", folder="site")
        shown = preview(self.workspace, "site/index.html")
        self.assertEqual(shown, {"page": "site/index.html", "title": "Tea & <b>cake</b>", "notes": []})

    def test_a_preview_tells_what_will_not_show(self) -> None:
        page = '<title>T</title><img src="a%20b.png"><script src="https://example.com/x.js"></script><img src="data:,">'
        write_file(self.workspace, "p.html", page)
        self.assertEqual(
            preview(self.workspace, "p.html")["notes"],
            ["Not in the workspace: a%20b.png.", "On the web, and so not shown: https://example.com/x.js."],
        )
        # A built site names its files from its own top, which is the workspace or its folder.
        write_file(self.workspace, "dist/index.html", '<link href="/a.css"><script src="/b.js"></script><img src="/c.png">')
        write_file(self.workspace, "dist/b.js", "")
        write_file(self.workspace, "a.css", "")
        self.assertEqual(preview(self.workspace, "dist/index.html")["notes"], ["Not in the workspace: /c.png."])
        self.refused(ValueError, "is no page", preview, write_file(self.workspace, "a.css", "")["path"])

    def test_a_command_sees_the_files_and_its_failure_is_told(self) -> None:
        write_file(self.workspace, "a.txt", "one\ntwo\n")
        self.assertEqual(run_command(self.workspace, "grep -c . a.txt"), {"stdout": "2\n", "stderr": "", "exit_code": 0})
        failed = run_command(self.workspace, "cat gone.txt")
        self.assertEqual((failed["stdout"], failed["exit_code"]), ("", 1))
        self.assertIn("gone.txt", failed["stderr"])
        write_file(self.workspace, "long.txt", "y\n" * 20_000)
        long = run_command(self.workspace, "cat long.txt")
        self.assertLess(len(long["stdout"]), 21_000)
        self.assertIn("characters left out", long["stdout"])


if __name__ == "__main__":
    unittest.main()
