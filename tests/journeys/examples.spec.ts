// The toolsets that come with the app: offered on the first page and on the page of toolsets, installed by one click, also with no network.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { asFile, zip } from "./bundle";
import { expect, kept, ready, test } from "./harness";
import { calls, execute, workspace } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 180_000 });

const chatOf = (address: string) => address.split("/").pop()!;

test("an example is installed by one click, with the server stopped, and works", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await kept(page);
  await satchel.stop();
  await page.goto(`${satchel.origin}/ui/toolsets#examples`);
  const card = page.getByTestId("example-card-data-desk");
  await expect(card).toContainText("4 tools");
  await page.getByTestId("example-install-data-desk").click();
  await expect(card).toContainText("Installed");
  await expect(page.getByTestId("example-install-data-desk")).toHaveCount(0);
  await expect(page.getByTestId("toolset-card-data-desk")).toContainText("from a file");

  // Nothing was granted with it, and it needs nothing.
  const details = await page.evaluate(async () => (await fetch("/local/toolsets/data-desk")).json());
  expect(details.toolset).toMatchObject({ enabled: true, source_ref: "data-desk.zip" });
  expect(details.files.map(({ path }: { path: string }) => path)).not.toContain("tests/test_data_desk.py");

  await page.getByTestId("example-try-data-desk").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]+$/);
  const chat = chatOf(page.url());
  expect(Object.keys(await workspace(page, chat))).toEqual(["orders.csv"]);
  const sql = "SELECT COUNT(*) FROM orders";
  expect(await execute(page, "data-desk", "query", { params: { sql }, chat_id: chat })).toMatchObject({ status: 200, result: { rows: [[256]] } });
});

test("an older example is upgraded, and what a user put in its place is theirs", async ({ page, satchel }) => {
  const manifest = await readFile(join(import.meta.dirname, "../../examples/web-builder/toolset.yaml"), "utf8");
  const other = (version: string) => asFile("web-builder.zip", zip([{ path: "toolset.yaml", text: manifest.replace('version: "1.0.0"', `version: "${version}"`) }]));
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const card = page.getByTestId("example-card-web-builder");
  await page.getByTestId("toolset-import-input").setInputFiles(other("0.9.0"));
  await page.getByTestId("import-confirm").click();
  await expect(card).toContainText("0.9.0 is installed");
  await page.getByTestId("example-install-web-builder").click();
  await expect(card).toContainText("Installed");
  await expect(page.getByTestId("toolset-card-web-builder")).toContainText("1.0.0");

  await page.getByTestId("toolset-import-input").setInputFiles(other("2.0.0"));
  await page.getByTestId("import-confirm").click();
  await expect(card).toContainText("Installed with other contents");
  await expect(page.getByTestId("example-install-web-builder")).toHaveCount(0);
  // It is replaced as any bundle is: shown first, and only by a word.
  await page.getByTestId("example-look-web-builder").click();
  await expect(page.getByTestId("import-dialog")).toContainText("web-builder.zip");
  await expect(page.getByTestId("import-error")).toContainText("2.0.0 is installed, which is newer");
  await page.getByTestId("import-replace").click();
  await expect(card).not.toContainText("with other contents");
  await expect(card).toContainText("Installed");

  // Once uninstalled it is offered again.
  await page.getByTestId("toolset-uninstall-web-builder").click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("example-install-web-builder")).toBeVisible();
});

test("the first page offers the examples, and one click begins a chat with a sample file in it", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await expect(page.getByTestId("example-try-web-builder")).toContainText("A page of my own");
  await page.getByTestId("example-try-data-desk").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]+$/);
  const chat = chatOf(page.url());
  await expect(page.getByTestId("chat-title")).toHaveValue("A chart of sample orders");
  await expect(page.getByTestId("workspace-file-orders.csv")).toBeVisible();
  expect(await calls(page, chat)).toEqual([]);
});
