// The page of MCP servers: logging in, and what other browsers of the account have published.
import { join } from "node:path";

import { connected, expect, Profile } from "./harness";
import { GuardedMcpServer } from "./mcp_login_server";
import { addByAddress, reachable } from "./mcp_page";
import { McpServer } from "./mcp_server";

const SEARCH = { name: "search", description: "Searches the library", inputSchema: { type: "object" } };

const test = reachable.extend<{ guarded: GuardedMcpServer }>({
  guarded: async ({}, use) => {
    const guarded = await GuardedMcpServer.listen();
    await use(guarded);
    await guarded.close();
  },
});

test.describe.configure({ timeout: 180_000 });

/** R129 */
test("a login opens in a tab of its own, or by a link where the browser opens none, and the app stays where it is", async ({ page, satchel, guarded }) => {
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

/** R226 */
test("the next server can be written down while the one before is being added", async ({ page, satchel }) => {
  const server = await McpServer.listen([SEARCH]);
  try {
    await page.goto(satchel.address);
    await connected(page);
    await page.goto(`${satchel.origin}/ui/servers`);
    await page.getByTestId("server-add-reached").fill(server.url);
    await page.getByTestId("server-add-name").fill("first");
    await page.getByTestId("server-add").click();
    await page.getByTestId("server-pasted-add").waitFor();
    // In one breath: nothing is stored yet when the address is there.
    await page.evaluate((url) => {
      document.querySelector<HTMLElement>("[data-testid=server-pasted-add]")!.click();
      const field = document.querySelector<HTMLInputElement>("[data-testid=server-add-reached]")!;
      field.value = `${url}?of=second`;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }, server.url);
    await expect(page.getByTestId("server-status-first~first")).toHaveText("connected");
    await expect(page.getByTestId("server-pasted-add")).toHaveCount(0);
    await expect(page.getByTestId("server-add-reached")).toHaveValue(`${server.url}?of=second`);
    await expect(page.getByTestId("server-add-name")).toHaveValue("");
  } finally {
    await server.close();
  }
});

/** R123: browsers of one account that do not sync. */
test("two browsers do not fight over an id, and what a lost browser has published can be removed", async ({ page, satchel, folder }) => {
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
    await expect(there.getByTestId("server-status-library~library")).toHaveText("connected");
    await addByAddress(there, "lost", second.url);
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
