// The page of tools: every tool by who gives it, and a form to try each one with.
import type { Page } from "@playwright/test";

import { zip } from "./bundle";
import { expectSound } from "./axe";
import { expect, ready, test } from "./harness";
import { install } from "./toolset";

test.describe.configure({ timeout: 180_000 });

const MANIFEST = `manifest_version: "1"
id: rows
name: Rows and columns
version: "1.0.0"
description: For a journey
tools:
  - id: count_rows
    name: Count rows
    description: Counts the rows of a file.
    entrypoint: tools.rows:count_rows
    timeout_seconds: 60
    renderer: {type: code, file: "$args.path"}
    input_schema:
      type: object
      required: [path, parts]
      properties:
        path: {type: string, description: Where it is}
        parts: {type: array, items: {$ref: "#/$defs/part"}}
        mode: {enum: [fast, exact], default: fast}
        limit: {type: integer, minimum: 1}
      $defs:
        part: {type: object, required: [name], properties: {name: {type: string}, weight: {type: number}}}
    output_schema: {type: object}
  - id: wipe
    name: Wipe
    description: Removes everything.
    entrypoint: tools.rows:wipe
    requires_confirmation: true
    input_schema: {type: object}
  - id: wait
    name: Wait
    description: Writes, and never ends.
    entrypoint: tools.rows:wait
    input_schema: {type: object}
  - id: plot
    name: Plot
    description: Shows something, and gives a lot.
    entrypoint: tools.rows:plot
    input_schema: {type: object}
  - id: fail
    name: Fail
    description: Fails.
    entrypoint: tools.rows:fail
    input_schema: {type: object}
`;

const SOURCE = `import time
from pathlib import Path

import satchel

def count_rows(workspace, path, parts, mode, limit=None):
    Path(path).write_text("one\\ntwo\\n")
    print("counting", path)
    return {"rows": 2, "mode": mode, "parts": parts, "limit": limit}

def wipe(workspace):
    return {"wiped": True}

def wait(workspace):
    print("it has begun", flush=True)
    satchel.display("seen so far")
    while True:
        time.sleep(0.05)

def plot(workspace):
    print("it was plotted")
    satchel.display(satchel.Markdown("# A figure"))
    return {"texts": [["x" * 40] for _ in range(3000)], "last": "the end of it"}

def fail(workspace):
    raise ValueError("no luck")
`;

const rows = () => zip([{ path: "toolset.yaml", text: MANIFEST }, { path: "tools/rows.py", text: SOURCE }]);

async function open(page: Page, origin: string, path = "/ui/tools"): Promise<void> {
  await page.goto(origin);
  await ready(page);
  await install(page, rows());
  await page.goto(origin + path);
  await ready(page);
}

/** R177, R178, R180, R235, R312 */
test("tools are listed by who gives them, with their marks, and each can be switched", async ({ page, satchel }) => {
  await open(page, satchel.origin);
  const builtIn = page.getByRole("region", { name: "Built in" });
  await expect(builtIn.getByTestId("tool-card-write_file")).toContainText("built in");
  const group = page.getByRole("region", { name: "Rows and columns" });
  const counting = group.getByTestId("tool-card-rows:count_rows");
  await expect(counting).toContainText("Python");
  await expect(counting).toContainText("shows code");
  await expect(counting).toContainText(/≈ \d+ tokens/);
  await expect(group.getByTestId("tool-card-rows:wipe")).toContainText("asks first");

  await page.getByTestId("tool-enabled-rows:wipe").uncheck();
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("tool-enabled-rows:wipe")).not.toBeChecked();
  await page.getByTestId("tool-card-rows:wipe").getByRole("link", { name: "Wipe" }).click();
  await expect(page).toHaveURL(/\/ui\/tools\/rows:wipe$/);
  await expect(page.getByTestId("tester-run")).toBeDisabled();
  await page.getByTestId("tool-enabled-rows:wipe").check();
  await expect(page.getByTestId("tester-run")).toBeEnabled();
});

/** R228, R255 */
test("a tool is tried with a form made from its schema", async ({ page, satchel }) => {
  await open(page, satchel.origin, "/ui/tools/rows:count_rows");
  // What does not fit is said where it is, and nothing runs.
  await page.getByTestId("tester-run").click();
  await expect(page.locator("[id='tester/path!']")).toHaveText("Is missing.");
  await expect(page.getByTestId("tester-result")).toHaveCount(0);

  await page.getByTestId("tester/path").fill("data.txt");
  await page.getByRole("button", { name: "Add to parts" }).click();
  await page.getByTestId("tester/parts/0/name").fill("first");
  await page.getByTestId("tester/parts/0/weight").fill("2.5");
  await expect(page.getByTestId("tester-json")).toHaveValue(/"weight": 2\.5/);
  await page.getByTestId("tester/limit").fill("three");
  await expect(page.locator("[id='tester/limit!']")).toHaveText("Is not a whole number.");
  // The JSON beside it is the same value, and can be written too.
  const arguments_ = { path: "data.txt", parts: [{ name: "second" }], mode: "exact" };
  await page.getByTestId("tester-json").fill(JSON.stringify(arguments_));
  await expect(page.getByTestId("tester/parts/0/name")).toHaveValue("second");
  await expect(page.getByTestId("tester/limit")).toHaveValue("");
  await expect(page.getByTestId("tester/mode")).toHaveValue("1");

  await page.getByTestId("tester-run").click();
  const result = page.getByTestId("tester-result");
  await expect(result).toContainText("Completed");
  await expect(result).toContainText(/\d+ ms|\d+\.\d s/);
  await expect(result).toContainText('"mode": "exact"');
  await expect(result.getByTestId("tester-changed")).toContainText("data.txt");
  await expect(page.getByTestId("tool-metrics")).toContainText("once");

  // A change of the tool's own page leaves what was filled in.
  await expect(page.getByTestId("tester/path")).toHaveValue("data.txt");
  await page.getByText("Source", { exact: false }).first().click();
  await expect(page.getByTestId("toolset-file-text")).toContainText("def count_rows");
});

/** R228, R305, R308 */
test("a trial that is over still has what it wrote and showed, and its raw result whole", async ({ page, satchel }) => {
  await open(page, satchel.origin, "/ui/tools/rows:plot");
  await page.getByTestId("tester-run").click();
  const result = page.getByTestId("tester-result");
  await expect(result).toContainText("Completed");
  await expect(result.getByTestId("tester-output")).toContainText("it was plotted");
  await expect(result.getByTestId("tester-displays").getByRole("heading", { name: "A figure" })).toBeVisible();
  await result.getByText("Raw", { exact: true }).click();
  await expect(result.getByTestId("tester-raw")).toContainText(".satchel/results/");
  await expect(result.getByTestId("tester-raw")).toContainText("the end of it");

  await page.goto(`${satchel.origin}/ui/tools/rows:fail`);
  await ready(page);
  await page.getByTestId("tester-run").click();
  await expect(result).toContainText("Error");
  await expect(result.getByTestId("tester-raw")).toContainText("no luck");
  await expect(result.getByTestId("tester-raw")).toContainText("tools/rows.py");
});

/** R209 */
for (const width of [390, 1440]) {
  test(`the file that a trial shows is opened in the chat it ran in, at ${width} px`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, satchel.origin, "/ui/tools/rows:count_rows");
    await page.getByTestId("tester-json").fill(JSON.stringify({ path: "data.txt", parts: [], mode: "fast" }));
    await page.getByTestId("tester-run").click();
    await page.getByTestId("tester-result").getByTestId("open-in-workspace").click();
    await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
    const pane = page.getByTestId("workspace-panel");
    await expect(pane.locator(".file-name")).toHaveText("data.txt");
    await expect(pane.locator(".cm-content")).toHaveText("onetwo");
    await expect(pane.locator(".cm-content")).toBeInViewport();
  });
}

/** R178 */
test("a tool that cannot be used says why, and an HTTP tool what it asks", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/tools`);
  await ready(page);
  const search = page.getByTestId(/^tool-card-builtin-exa-web-search:/).first();
  await expect(search).toContainText("API key not configured");
  await search.getByRole("link").first().click();
  await expect(page.getByTestId("tool-details").locator(".tool-reason")).toContainText("API key not configured");
  await expect(page.getByTestId("tester-run")).toBeDisabled();
  await expect(page.locator(".tester")).toContainText("API key not configured");
  const request = page.locator("details.part").filter({ has: page.getByText("Request", { exact: true }) });
  await request.getByText("Request", { exact: true }).click();
  await expect(request.locator("pre")).toContainText('"method": "POST"');
});

/** R228, R305, R307 */
test("a trial asks where the tool asks, shows what it writes, and can be stopped", async ({ page, satchel }) => {
  await open(page, satchel.origin, "/ui/tools/rows:wipe");
  await page.getByTestId("tester-run").click();
  await page.getByTestId("approval-deny").click();
  await expect(page.getByTestId("tester-result")).toContainText("Error");
  await page.getByTestId("tester-run").click();
  await page.getByTestId("approval-once").click();
  await expect(page.getByTestId("tester-result")).toContainText('"wiped": true');

  await page.goto(`${satchel.origin}/ui/tools/rows:wait`);
  await ready(page);
  await page.getByTestId("tester-run").click();
  await expect(page.getByTestId("tester-output")).toContainText("it has begun");
  await expect(page.getByTestId("tester-displays")).toContainText("seen so far");
  await page.getByTestId("tester-stop").click();
  await expect(page.getByTestId("tester-result")).toContainText("stopped");
});

/** R314 */
for (const width of [390, 1440]) {
  test(`the pages of tools pass axe at ${width} px, light and dark, and do not scroll sideways`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, satchel.origin);
    await expect(page.getByTestId("tool-card-rows:wipe")).toBeVisible();
    await expectSound(page, "all tools", "all");
    await page.goto(`${satchel.origin}/ui/tools/rows:count_rows`);
    await ready(page);
    await page.getByRole("button", { name: "Add to parts" }).click();
    await page.getByTestId("tester-run").click();
    await expect(page.locator("[id='tester/path!']")).toBeVisible();
    await expectSound(page, "one tool", "all");
  });
}

/** R112–R118: each field is changed by itself, and what was changed before stays. */
test("what was changed about a tool stays when something else about it is changed", async ({ page, satchel }) => {
  await open(page, satchel.origin, "/ui/tools/rows:wipe");
  const overrides = () => page.evaluate(async () => (await (await fetch("/local/tools/rows:wipe")).json()).overrides);
  await page.getByTestId("override-edit-rows:wipe").click();
  await page.getByTestId("override-name").fill("Wipe it all");
  await page.getByTestId("override-save").click();
  await expect(page.getByRole("heading", { name: "Wipe it all" })).toBeVisible();
  expect(await overrides()).toMatchObject({ name_override: "Wipe it all", description_override: null, requires_confirmation: null, enabled: null });

  await page.getByTestId("override-edit-rows:wipe").click();
  await page.getByTestId("override-description").fill("Removes everything there is.");
  await page.getByTestId("override-asks").uncheck();
  await page.getByTestId("override-save").click();
  await expect(page.locator(".tool-header")).toContainText("Removes everything there is.");
  await page.getByTestId("tool-enabled-rows:wipe").click();
  await expect.poll(overrides).toMatchObject({ enabled: false });
  await page.getByTestId("tool-enabled-rows:wipe").click();
  await expect.poll(overrides).toMatchObject({ enabled: true });

  await page.getByTestId("override-edit-rows:wipe").click();
  await page.getByTestId("override-renderer").selectOption("code");
  await page.getByTestId("override-save").click();
  const all = { name_override: "Wipe it all", description_override: "Removes everything there is.", requires_confirmation: false, enabled: true, renderer: "code" };
  await expect.poll(overrides).toMatchObject(all);
});
