"""The tools of the desk, called as plain functions: `python -m unittest discover -s tests -t .` in this folder.

Nothing here needs Satchel. The same tests are run in the cage by the tests of Satchel itself.
"""

import json
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from desk.chart import ticks_for, told
from desk.tables import read_table
from tools.chart import chart
from tools.convert import convert
from tools.profile import profile
from tools.query import query

SAMPLE = Path(__file__).parents[1] / "samples" / "orders.csv"


class Desk(unittest.TestCase):
    """A workspace with the sample in it."""

    def setUp(self) -> None:
        self.workspace = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.workspace)
        shutil.copy(SAMPLE, self.workspace / "orders.csv")

    def put(self, name: str, text: str | bytes) -> str:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def refused(self, kind: type[Exception], words: str, tool, *args, **named) -> None:
        with self.assertRaises(kind) as caught:
            tool(self.workspace, *args, **named)
        self.assertIn(words, str(caught.exception))


class Reading(Desk):
    def kinds(self, name: str, text: str | bytes) -> dict[str, str]:
        table = read_table(self.workspace, self.put(name, text))
        return {column.name: column.kind for column in table.columns}

    def test_the_kind_of_each_column_is_found_out(self) -> None:
        text = "n,when,word,code,none\n1,2025-01-31,a,00123,\n-2.5,2025-02-01 10:30,b,00456,n/a\n"
        expected = {"n": "number", "when": "date", "word": "text", "code": "text", "none": "empty"}
        self.assertEqual(self.kinds("a.csv", text), expected)

    def test_separators_commas_in_numbers_and_other_alphabets_are_read(self) -> None:
        self.put("b.csv", "Straße;Preis\nÄ;1.234,50\nÖ;2,00\n".encode("cp1252"))
        table = read_table(self.workspace, "b.csv")
        self.assertEqual([column.values for column in table.columns], [["Ä", "Ö"], [1234.5, 2.0]])
        self.assertEqual(table.format, "CSV, separated by semicolons")
        self.assertEqual(table.notes, ["The file is not UTF-8; it was read as Windows-1252."])

    def test_names_are_made_unique_and_uneven_rows_are_told(self) -> None:
        table = read_table(self.workspace, self.put("c.csv", "a,A,,b\n1,2,3,4\n5,6\n"))
        self.assertEqual(table.names, ["a", "A_2", "column_3", "b"])
        self.assertEqual(table.columns[3].values, [4, None])
        self.assertEqual(len(table.notes), 1)

    def test_json_is_read_in_its_usual_shapes(self) -> None:
        for name, text in [
            ("list.json", '[{"a": 1, "b": "x"}, {"a": 2}]'),
            ("inside.json", '{"next": null, "data": [{"a": 1, "b": "x"}, {"a": 2}]}'),
            ("lines.ndjson", '{"a": 1, "b": "x"}\n\n{"a": 2}\n'),
        ]:
            table = read_table(self.workspace, self.put(name, text))
            self.assertEqual([(column.name, column.values) for column in table.columns], [("a", [1, 2]), ("b", ["x", None])], name)

    def test_what_cannot_be_read_says_why(self) -> None:
        self.refused(FileNotFoundError, "did you mean 'orders.csv'?", read_table, "order.csv")
        self.refused(ValueError, "is no file of the workspace", read_table, "../etc/passwd")
        self.refused(ValueError, "is empty", read_table, self.put("empty.csv", ""))
        self.refused(ValueError, "line 2 of bad.ndjson is not JSON", read_table, self.put("bad.ndjson", "{}\n{,\n"))
        self.refused(ValueError, "is no table that can be read", read_table, self.put("a.xlsx", "PK"))


class Profiling(Desk):
    def test_the_sample_is_told_column_by_column(self) -> None:
        told_of = profile(self.workspace, "orders.csv")
        columns = {column["name"]: column for column in told_of["columns"]}
        self.assertEqual((told_of["rows"], len(columns)), (256, 9))
        self.assertEqual((columns["date"]["kind"], columns["date"]["min"]), ("date", "2025-01-03"))
        self.assertEqual(sum(columns["revenue"]["steps"]), 256)
        self.assertEqual(columns["region"]["distinct"], 4)
        self.assertGreater(columns["rating"]["missing"], 0)
        json.dumps(told_of, allow_nan=False)

    def test_what_looks_wrong_is_noted(self) -> None:
        notes = profile(self.workspace, self.put("odd.csv", "a,b,c\n1,x,\n1,x,\n"))["notes"]
        self.assertEqual(
            notes,
            [
                "One row is an exact copy of another.",
                "a is 1 in every row.",
                "b is 'x' in every row.",
                "c is empty in every row.",
            ],
        )


class Querying(Desk):
    def test_files_are_tables(self) -> None:
        self.put("data/heads of.json", '[{"region": "North", "head": "Ada"}]')
        sql = "SELECT o.region, h.head, COUNT(*) AS n FROM orders o JOIN heads_of h USING (region) GROUP BY 1"
        answer = query(self.workspace, sql)
        self.assertEqual(answer["columns"], ["region", "head", "n"])
        self.assertEqual([row[:2] for row in answer["rows"]], [["North", "Ada"]])

    def test_rows_are_limited_and_saved_whole(self) -> None:
        answer = query(self.workspace, "SELECT order_id FROM orders", limit=3, save_as="out/ids.csv")
        self.assertEqual((len(answer["rows"]), answer["row_count"], answer["saved"]), (3, 256, "out/ids.csv"))
        self.assertEqual(len((self.workspace / "out/ids.csv").read_text().splitlines()), 257)

    def test_databases_are_attached_and_not_changed(self) -> None:
        convert(self.workspace, "orders.csv", "sqlite", save_as="shop.sqlite")
        before = (self.workspace / "shop.sqlite").read_bytes()
        self.assertEqual(query(self.workspace, "SELECT COUNT(*) FROM shop.orders")["rows"], [[256]])
        self.assertEqual((self.workspace / "shop.sqlite").read_bytes(), before)

    def test_only_questions_are_asked_and_mistakes_are_explained(self) -> None:
        self.refused(ValueError, "begin with SELECT", query, "DELETE FROM orders")
        self.refused(ValueError, "only reading", query, "WITH x AS (SELECT 1) INSERT INTO orders SELECT 1 FROM x")
        self.refused(ValueError, "the tables are orders", query, "SELECT * FROM sales")
        self.refused(ValueError, "orders has order_id, date", query, "SELECT revenues FROM orders")
        self.refused(ValueError, "one question at a time", query, "SELECT 1; SELECT 2")


class Charting(Desk):
    def drawn(self, **named) -> ElementTree.Element:
        answer = chart(self.workspace, "orders.csv", **named)
        json.dumps(answer, allow_nan=False)
        return ElementTree.fromstring((self.workspace / answer["svg"]).read_text())

    def marks(self, picture: ElementTree.Element, tag: str) -> int:
        return len(picture.findall(f".//{{http://www.w3.org/2000/svg}}{tag}[@class='mark']"))

    def test_bars_lines_and_dots(self) -> None:
        self.assertEqual(self.marks(self.drawn(x="region", y="revenue"), "rect"), 4)
        self.assertEqual(self.marks(self.drawn(x="date", y="revenue", by="month", kind="line"), "circle"), 12)
        self.assertEqual(self.marks(self.drawn(x="quantity", y="revenue", kind="scatter"), "circle"), 256)
        self.assertEqual(self.marks(self.drawn(x="date", by="quarter", series="region"), "rect"), 16)

    def test_numbers_come_with_the_picture(self) -> None:
        answer = chart(self.workspace, "orders.csv", x="date", y="revenue", by="quarter")
        total = query(self.workspace, "SELECT ROUND(SUM(revenue), 2) FROM orders")["rows"][0][0]
        [series] = answer["series"]
        self.assertEqual([point[0] for point in series["points"]], ["2025 Q1", "2025 Q2", "2025 Q3", "2025 Q4"])
        self.assertAlmostEqual(sum(point[1] for point in series["points"]), total, places=2)

    def test_text_of_a_stranger_stays_text(self) -> None:
        self.put("odd.csv", 'name,n\n"<script>alert(1)</script>",1\n"""&",2\n')
        answer = chart(self.workspace, "odd.csv", x="name", y="n", title="<b>")
        text = (self.workspace / answer["svg"]).read_text()
        self.assertNotIn("<script", text)
        ElementTree.fromstring(text)

    def test_what_does_not_go_together_says_why(self) -> None:
        self.refused(ValueError, "did you mean 'region'?", chart, "orders.csv", x="regoin")
        self.refused(ValueError, "holds no numbers", chart, "orders.csv", x="region", y="product")
        self.refused(ValueError, "columns with dates: date", chart, "orders.csv", x="region", by="month")
        self.refused(ValueError, "has to end in .svg", chart, "orders.csv", x="region", save_as="a.png")

    def test_ticks_are_round_and_numbers_short(self) -> None:
        self.assertEqual(ticks_for(0, 97), [0, 20, 40, 60, 80, 100])
        self.assertEqual(ticks_for(-0.3, 0.4), [-0.4, -0.2, 0, 0.2, 0.4])
        self.assertEqual(ticks_for(5, 5), [4.0, 4.5, 5.0, 5.5, 6.0])
        self.assertEqual([told(number) for number in (0, 12.5, 9999, 12500, 3.21e6)], ["0", "12.5", "9999", "12.5k", "3.21M"])
        self.assertEqual([told(number, 2e4) for number in (0, 5000, 2e4)], ["0", "5k", "20k"])


class Converting(Desk):
    def test_there_and_back_again(self) -> None:
        for to in ("json", "ndjson"):
            written = convert(self.workspace, "orders.csv", to)["written"]
            back = convert(self.workspace, written, "csv", save_as=f"back-{to}.csv")["written"]
            self.assertEqual(
                [column.values for column in read_table(self.workspace, back).columns],
                [column.values for column in read_table(self.workspace, "orders.csv").columns],
                to,
            )

    def test_the_original_is_never_written_over(self) -> None:
        self.refused(ValueError, "is csv already", convert, "orders.csv", "csv")


if __name__ == "__main__":
    unittest.main()
