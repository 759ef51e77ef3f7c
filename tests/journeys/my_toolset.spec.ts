// The example of the bundle format: it comes in, its tool runs in a conversation, what it found is seen, and it goes out as it came.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { asFile, zip } from "./bundle";
import { answered, card, chatOf, offer, open, send } from "./conversation";
import { expect, ready } from "./harness";
import { call, say, test } from "./scripted_model";
import { workspace } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 240_000 });

const FOLDER = join(import.meta.dirname, "../fixtures/my-toolset");
const FILES = ["toolset.yaml", "tools/analyze.py", "tools/transform.py", "artifacts/results.html", "assets/templates/default.json"];

const KEY = "canary-value-0123456789";

/** Brings a bundle in as a person does: chosen, looked at, and confirmed. */
async function bring(page: Page, origin: string, bundle: Buffer): Promise<void> {
  await page.goto(`${origin}/ui/toolsets`);
  await ready(page);
  await page.getByTestId("toolset-import-input").setInputFiles(asFile("my-toolset.zip", bundle));
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
}

/** Takes it out again. */
async function exported(page: Page, path: string): Promise<Buffer> {
  const saving = page.waitForEvent("download");
  await page.getByTestId("toolset-export-my-toolset").click();
  await (await saving).saveAs(path);
  return readFile(path);
}

/** What is installed, without what belongs to the moment it came. */
async function installed(page: Page) {
  const found = await page.evaluate(async () => (await fetch("/local/toolsets/my-toolset")).json());
  const { toolset, tools, files, render_configs, mcp_servers } = found;
  return {
    package: toolset.package,
    tools: tools.map(({ tool_id, entrypoint, input_schema }: Record<string, unknown>) => ({ tool_id, entrypoint, input_schema })),
    files: files.filter(({ path }: { path: string }) => path !== "toolset.yaml").map(({ path, sha256 }: Record<string, string>) => [path, sha256]),
    render_configs,
    servers: mcp_servers.map(({ server_id, config }: Record<string, unknown>) => ({ server_id, config })),
  };
}

/** R275, R213 */
test("Import my-toolset example → analyze_data → html renderer shows stats → export → re-import equal", async ({ page, satchel, folder, model }) => {
  model.script = (asked) => {
    const [tool] = asked.tools!;
    return asked.messages.at(-1)!.role === "tool" ? say("Look at the table.") : call([tool.function.name, { filename: "sales.csv" }]);
  };
  await open(page, satchel.address);
  const bundle = zip(await Promise.all(FILES.map(async (path) => ({ path, text: await readFile(join(FOLDER, path)) }))));
  await bring(page, satchel.origin, bundle);
  const before = await installed(page);

  // Its server wants a key, without which none of it is offered (C49).
  await page.goto(`${satchel.origin}/ui/settings#secrets`);
  await page.getByTestId("secret-input-MY_API_KEY").fill(KEY);
  await page.getByTestId("secret-save-MY_API_KEY").click();
  await expect(page.getByTestId("secret-row-MY_API_KEY")).toContainText("In the vault");

  await page.goto(satchel.origin);
  await ready(page);
  await offer(page, { "my-toolset": ["analyze_data"] });
  await page.getByTestId("workspace-upload-input").setInputFiles(asFile("sales.csv", "region,units,price\nNorth,2,10\nSouth,4,40\n"));
  await expect(page.getByTestId("workspace-file-sales.csv")).toBeVisible();
  await send(page, "What is in the table?");
  await answered(page, "Look at the table.");
  const view = card(page, "analyze_data").getByTestId("renderer-html").frameLocator("iframe").frameLocator("iframe");
  await expect(view.locator("#summary")).toHaveText("Processed 2 rows");
  await expect(view.locator("#stats tr")).toHaveText(["rows2", "columns3", "mean of units3", "mean of price25"]);
  await expect(page.getByTestId("workspace-changed-output.json")).toBeVisible();
  const stats = { rows: 2, columns: 3, means: { units: 3, price: 25 } };
  expect(JSON.parse((await workspace(page, chatOf(page)))["output.json"])).toEqual(stats);
  expect(JSON.parse(model.asked[1].messages.at(-1)!.content)).toEqual({ summary: "Processed 2 rows", output_file: "output.json", stats });

  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const out = await exported(page, join(folder, "first.zip"));
  expect(out.includes(KEY), "a value goes nowhere").toBe(false);
  await page.getByTestId("toolset-uninstall-my-toolset").click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toHaveCount(0);
  await bring(page, satchel.origin, out);
  expect(await installed(page)).toEqual(before);
  expect((await exported(page, join(folder, "second.zip"))).equals(out), "what goes out again is the same, byte by byte").toBe(true);
});
