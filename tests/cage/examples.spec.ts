// The example toolsets in a real cage: their own unit tests, and every tool by its entrypoint.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { Cage, expect, type Files, test } from "./harness";

const EXAMPLES = join(import.meta.dirname, "../../examples");

/** All files of an example, its tests included. */
async function files(name: string): Promise<Files> {
  const folder = join(EXAMPLES, name);
  const found: Files = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes("__pycache__")) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length + 1)] = await readFile(path);
  }
  return found;
}

/** A cage with an example in it, and its samples in the workspace. */
async function desk(cages: Parameters<typeof Cage.with>[0], name: string): Promise<Cage> {
  const all = await files(name);
  const cage = await Cage.with(cages, all);
  const samples = Object.entries(all).filter(([path]) => path.startsWith("samples/"));
  await cage.materialise(Object.fromEntries(samples.map(([path, bytes]) => [path.slice("samples/".length), bytes])));
  return cage;
}

const UNIT_TESTS = `
import io, json, unittest
said = io.StringIO()
suite = unittest.defaultTestLoader.discover("/toolset/tests", top_level_dir="/toolset")
done = unittest.TextTestRunner(stream=said, verbosity=0).run(suite)
result = json.dumps({"ran": done.testsRun, "failed": [f"{test}: {text}" for test, text in done.failures + done.errors]})
`;

for (const [name, tests] of [["data-desk", 18], ["web-builder", 4]] as const) {
  test(`the unit tests of ${name} pass in the cage`, async ({ cages }) => {
    const cage = await Cage.with(cages, await files(name));
    const { ran, failed } = await cage.evaluate(UNIT_TESTS);
    // Commands are run by a shell that only a call has; the test below runs them.
    expect(failed.filter((text: string) => !text.includes("test_a_command"))).toEqual([]);
    expect(ran).toBeGreaterThanOrEqual(tests);
  });
}

test("the tools of data-desk answer", async ({ cages }) => {
  const cage = await desk(cages, "data-desk");
  const profile = await cage.result("tools.profile:profile", { file: "orders.csv" });
  expect(profile).toMatchObject({ rows: 256, format: "CSV, separated by commas", notes: [] });
  expect(profile.columns.map((column: any) => column.kind)).toEqual(["number", "date", "text", "text", "text", "number", "number", "number", "number"]);

  const chart = await cage.call("tools.chart:chart", { file: "orders.csv", x: "date", y: "revenue", kind: "line", by: "month", series: "category" });
  expect(chart.outcome.value).toMatchObject({ svg: "charts/orders.svg", title: "Revenue by month and category", notes: [] });
  expect(chart.changed["charts/orders.svg"]).toMatch(/^<svg [\s\S]*<polyline[\s\S]*<\/svg>\n$/);

  const query = await cage.call("tools.query:query", { sql: "SELECT region, COUNT(*) AS n FROM orders GROUP BY region ORDER BY n DESC", save_as: "by_region.csv" });
  expect(query.outcome.value).toMatchObject({ columns: ["region", "n"], row_count: 4, saved: "by_region.csv" });
  expect(query.changed["by_region.csv"]).toMatch(/^region,n\r?\n/);
  expect(Object.keys(query.changed)).toEqual(["by_region.csv"]);

  // A database that was made here is opened again from the workspace, and stays as it was.
  expect((await cage.call("tools.convert:convert", { file: "orders.csv", to: "sqlite", save_as: "shop.sqlite" })).outcome.type).toBe("result");
  const asked = await cage.call("tools.query:query", { sql: "SELECT COUNT(*) FROM shop.orders" });
  expect(asked.outcome.value.rows).toEqual([[256]]);
  expect(asked.changed).toEqual({});

  const wrong = await cage.call("tools.query:query", { sql: "SELECT revenues FROM orders" });
  expect(wrong.outcome.message).toBe(
    "ValueError: no such column: revenues; orders has order_id, date, region, product, category, quantity, unit_price, revenue, rating",
  );
});

test("the tools of web-builder answer", async ({ cages }) => {
  const cage = await desk(cages, "web-builder");
  const site = await cage.call("tools.site:new_site", { title: "Tea" });
  expect(site.outcome.value).toEqual({ page: "index.html", written: ["index.html", "script.js", "style.css"] });
  expect(site.changed["index.html"]).toContain("<h1>Tea</h1>");
  const command = await cage.call("tools.shell:run_command", { command: "sed -i s/Tea/Coffee/ index.html && grep -c Coffee index.html" });
  expect(command.outcome.value).toEqual({ stdout: "2\n", stderr: "", exit_code: 0 });
  expect(command.changed["index.html"]).toContain("<h1>Coffee</h1>");
  expect(await cage.result("tools.site:preview")).toEqual({ page: "index.html", title: "Coffee", notes: [] });
  expect((await cage.result("tools.shell:run_command", { command: "npm start" })).exit_code).toBe(127);
});
