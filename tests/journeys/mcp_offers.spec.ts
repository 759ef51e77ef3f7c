// What the operator of a server offers to the accounts on it: servers of a file of their own.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { connected, expect, freePort, Satchel, test as journey } from "./harness";
import { everythingStored, realServer } from "./mcp_page";
import { execute } from "./toolset";

/** A journey whose operator has a file with a real server, and keys in it. */
const test = journey.extend<{ memory: string }>({
  memory: async ({ folder }, use) => use(join(folder, "memory.json")),
  satchel: async ({ folder, memory }, use) => {
    const data = join(folder, "data");
    await mkdir(data, { recursive: true });
    const env = { MEMORY_FILE_PATH: memory, API_KEY: "s3cret-of-the-operator" };
    const file = join(folder, "mcp.json");
    await writeFile(file, JSON.stringify({ mcpServers: { memory: { ...realServer("server-memory"), env } } }));
    const satchel = new Satchel(await freePort(), data, ["--mcp-config", file]);
    await satchel.start();
    await use(satchel);
    await satchel.stop();
  },
});

test.describe.configure({ timeout: 180_000 });

/** I8, C39, R121 */
test("what the operator offers is added, used with the operator's values which no page sees, renamed and removed", async ({ page, satchel, memory }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/servers`);
  const offer = page.getByTestId("server-offer-memory");
  await expect(offer).toHaveText("Add");
  await expect(page.getByText("Set by the operator: OPERATOR_MEMORY_API_KEY")).toBeVisible();
  await offer.click();
  await expect(page.getByTestId("server-status-memory~memory")).toHaveText("connected", { timeout: 30_000 });
  await expect(offer).toHaveText("You have added it.");

  const entity = { name: "Ada", entityType: "person", observations: ["writes programs"] };
  const made = await execute(page, "memory", "memory:create_entities", { params: { entities: [entity] }, approved: true });
  expect(made.status, JSON.stringify(made)).toBe(200);
  expect(existsSync(memory), "the operator's variables are used").toBe(true);
  expect(await everythingStored(page)).not.toContain("s3cret-of-the-operator");

  await page.getByTestId("server-rename-memory~memory").click();
  await page.getByTestId("server-rename-input").fill("What I know");
  await page.getByTestId("server-rename-input").press("Enter");
  const row = page.getByTestId("server-row-memory~memory");
  await expect(row.getByRole("heading", { name: "What I know" })).toBeVisible();
  await expect(page.getByTestId("server-status-memory~memory")).toHaveText("connected");
  await page.getByTestId("server-remove-memory~memory").click();
  await expect(row).toHaveCount(0);
  await expect(offer).toHaveText("Add");
});
