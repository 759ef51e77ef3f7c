// The page of MCP servers: logging in, what the operator offers, names, and what other browsers of the account have published.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { connected, expect, freePort, Profile, Satchel, test as journey } from "./harness";
import { GuardedMcpServer } from "./mcp_login_server";
import { addByAddress, everythingStored, reachable, realServer } from "./mcp_page";
import { McpServer } from "./mcp_server";
import { execute } from "./toolset";

const SEARCH = { name: "search", description: "Searches the library", inputSchema: { type: "object" } };

reachable.describe.configure({ timeout: 180_000 });

const signing = reachable.extend<{ guarded: GuardedMcpServer }>({
  guarded: async ({}, use) => {
    const guarded = await GuardedMcpServer.listen();
    await use(guarded);
    await guarded.close();
  },
});

/** R129 */
signing("a login opens in a tab of its own, or by a link where the browser opens none, and the app stays where it is", async ({ page, satchel, guarded }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/servers`);
  await addByAddress(page, "guarded", guarded.url);
  const status = page.getByTestId("server-status-guarded~guarded");
  await expect(status).toHaveText("needs a login");

  // As a browser does that opens no windows by itself.
  await page.evaluate(() => (window.open = () => null));
  await page.getByTestId("server-login-guarded~guarded").click();
  const link = page.getByTestId("server-login-link-guarded~guarded");
  await expect(link).toHaveText("Open the login page");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  expect(guarded.logins).toBe(0);
  const opened = page.context().waitForEvent("page");
  await link.click();
  await expect((await opened).getByText("You are signed in")).toBeVisible();
  await expect(status).toHaveText("connected");
  expect(page.url()).toBe(`${satchel.origin}/ui/servers`);

  // A server of another name at the same address has a login of its own; this time the browser opens the tab.
  await page.reload();
  await addByAddress(page, "second", guarded.url);
  await expect(page.getByTestId("server-status-second~second")).toHaveText("needs a login");
  const tab = page.context().waitForEvent("page");
  await page.getByTestId("server-login-second~second").click();
  await expect((await tab).getByText("You are signed in")).toBeVisible();
  await expect(page.getByTestId("server-status-second~second")).toHaveText("connected");
  expect(page.url()).toBe(`${satchel.origin}/ui/servers`);
});

/** A journey whose operator has a file with a real server, and keys in it. */
const offering = journey.extend<{ memory: string }>({
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

/** I8, C39, R121 */
offering("what the operator offers is added, used with the operator's values which no page sees, renamed and removed", async ({ page, satchel, memory }) => {
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

/** R123: browsers of one account that do not sync. */
reachable("two browsers do not fight over an id, and what a lost browser has published can be removed", async ({ page, satchel, folder }) => {
  const [first, second] = [await McpServer.listen([SEARCH]), await McpServer.listen([SEARCH])];
  const other = new Profile(join(folder, "other"));
  try {
    await page.goto(satchel.address);
    await connected(page);
    await page.goto(`${satchel.origin}/ui/servers`);
    await addByAddress(page, "library", first.url);
    const status = page.getByTestId("server-status-library~library");
    await expect(status).toHaveText("connected");

    const there = await other.open();
    await there.goto(satchel.address);
    await connected(there);
    await there.goto(`${satchel.origin}/ui/servers`);
    await expect(there.getByTestId("servers-elsewhere")).toContainText(first.url);
    await addByAddress(there, "library", second.url);
    await addByAddress(there, "lost", second.url);
    await expect(there.getByTestId("server-status-library~library")).toHaveText("connected");
    await expect(there.getByTestId("server-status-lost~lost")).toHaveText("connected");

    const instead = page.getByTestId("server-instead-library~library");
    await expect(instead).toContainText(second.url);
    await expect(status).toHaveText("error");
    await page.getByTestId("server-publish-library~library").click();
    await expect(status).toHaveText("connected");
    await expect(instead).toHaveCount(0);
    await expect(there.getByTestId("server-instead-library~library")).toContainText(first.url);

    await other.close();
    await expect(page.getByTestId("servers-elsewhere")).toContainText("lost~lost");
    await page.getByTestId("server-elsewhere-remove-lost~lost").click();
    await expect(page.getByTestId("servers-elsewhere")).toHaveCount(0);
    await expect(status, "and is not taken back meanwhile").toHaveText("connected");
  } finally {
    await other.close();
    await Promise.all([first.close(), second.close()]);
  }
});
