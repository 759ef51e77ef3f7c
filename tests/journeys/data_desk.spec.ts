// Without a model: a person installs a toolset, drops a table, runs tools from the palette, sees what they made, edits a file, and finds it
// all again with no server and a cold browser.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { expect, kept, ready, test } from "./harness";
import { calls, workspace } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 240_000 });

const SAMPLE = join(import.meta.dirname, "../../examples/data-desk/samples/orders.csv");

const chatOf = (page: Page) => page.url().split("/").at(-1) ?? "";
const call = (page: Page, name: string) => page.getByTestId("tool-call-message").filter({ hasText: name });

/** What a frame shows: the frame of the app, and the closed one in it. */
const inside = (page: Page, name: string, renderer: string) =>
  call(page, name).getByTestId(renderer).frameLocator("iframe").frameLocator("iframe");

/** Opens the palette and chooses a tool. */
async function choose(page: Page, query: string, tool: string): Promise<void> {
  await page.getByTestId("palette-trigger").click();
  await page.getByTestId("palette-input").fill(query);
  await expect(page.getByTestId(`palette-item-${tool}`)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
}

/** Runs the tool of the form that is open. */
async function run(page: Page, name: string): Promise<void> {
  await page.getByTestId("palette-run").click();
  await expect(call(page, name).getByTestId("tool-call-status")).toHaveText("Completed", { timeout: 90_000 });
}

/** R300, R211, R216, C55 */
test("a table is dropped, charted and edited without a model, and all of it is there again with no server", async ({ page, profile, satchel }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  await page.getByTestId("example-install-data-desk").click();
  await expect(page.getByTestId("example-card-data-desk")).toContainText("Installed");

  await page.getByRole("link", { name: "Chat", exact: true }).first().click();
  const dropped = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "orders.csv", { type: "text/csv" }));
    return transfer;
  }, await readFile(SAMPLE, "utf8"));
  await page.getByTestId("workspace-panel").dispatchEvent("dragover", { dataTransfer: dropped });
  await page.getByTestId("workspace-panel").dispatchEvent("drop", { dataTransfer: dropped });
  await expect(page.getByTestId("workspace-file-orders.csv")).toBeVisible();
  const chat = chatOf(page);

  await choose(page, "chart", "data-desk:chart");
  await page.getByTestId("palette-form/file").fill("orders.csv");
  await page.getByTestId("palette-form/x").fill("region");
  await page.getByTestId("palette-form/y").fill("revenue");
  await run(page, "chart");
  const chart = inside(page, "chart", "renderer-frame").locator("svg[role=img]");
  await expect(chart).toHaveAttribute("aria-label", "Revenue by region. revenue over region.");
  await expect(chart.locator("rect.mark")).toHaveCount(4);

  // An edit is seen by the next call.
  await page.getByTestId("workspace-file-orders.csv").click();
  await page.getByTestId("code-view").first().locator(".cm-content").fill("region,revenue\nNorth,3\nSouth,10\nSouth,1\n");
  await expect(page.getByTestId("save-state").first()).toHaveAttribute("data-state", "saved");
  await choose(page, "query", "data-desk:query");
  await page.getByTestId("palette-form/sql").fill("SELECT region, SUM(revenue) AS total FROM orders GROUP BY region");
  await run(page, "query");
  const table = inside(page, "query", "renderer-html");
  await expect(table.locator("tbody tr")).toHaveText(["North3", "South11"]);
  await table.getByRole("button", { name: "total" }).click();
  await table.getByRole("button", { name: "total" }).click();
  await expect(table.locator("tbody tr")).toHaveText(["South11", "North3"]);
  await table.getByLabel("Filter rows").fill("nor");
  await expect(table.locator("tbody tr")).toHaveText(["North3"]);

  await kept(page);
  await profile.close();
  await satchel.stop();
  const cold = await profile.open();
  await cold.goto(`${satchel.origin}/ui/chat/${chat}`);
  await ready(cold);
  // The chart is as it was drawn then; the file is as it was left.
  await expect(inside(cold, "chart", "renderer-frame").locator("svg[role=img] rect.mark")).toHaveCount(4);
  await expect(inside(cold, "query", "renderer-html").locator("tbody tr")).toHaveText(["North3", "South11"]);
  expect((await workspace(cold, chat))["orders.csv"]).toBe("region,revenue\nNorth,3\nSouth,10\nSouth,1\n");
  expect((await calls(cold, chat)).map(({ tool_id, status }) => [tool_id, status])).toEqual([
    ["data-desk:chart", "success"],
    ["data-desk:query", "success"],
  ]);
  await choose(cold, "profile", "data-desk:profile");
  await cold.getByTestId("palette-form/file").fill("orders.csv");
  await run(cold, "profile");
  await expect(inside(cold, "profile", "renderer-html").locator("#facts")).toHaveText("3 rows, 2 columns. CSV, separated by commas.");
  const saving = cold.waitForEvent("download");
  await cold.getByTestId("chat-export").click();
  expect((await saving).suggestedFilename()).toMatch(/\.md$/);
});

/** Three clicks from nothing to a chart: the offer, Run, and there is none to spare. */
test("a first visit comes to a chart in two clicks", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("example-try-data-desk").click();
  await expect(page.getByTestId("palette-form/file")).toHaveValue("orders.csv");
  await expect(page.getByTestId("palette-form/series")).toHaveValue("category");
  await run(page, "chart");
  const chart = inside(page, "chart", "renderer-frame").locator("svg[role=img]");
  await expect(chart.locator("polyline")).toHaveCount(3);
  // Once taken, the offer does not come back by itself.
  await page.reload();
  await ready(page);
  await expect(chart.locator("polyline")).toHaveCount(3);
  await expect(page.getByTestId("palette")).toHaveCount(0);
});
