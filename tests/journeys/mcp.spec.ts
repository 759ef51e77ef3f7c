// MCP servers: added, used in the tester, given another renderer, and switched off when they change under one's hands.
import type { Page } from "@playwright/test";

import { connected, expect } from "./harness";
import { addByAddress, reachable } from "./mcp_page";
import { McpServer, type Tool } from "./mcp_server";
import { install } from "./toolset";

const SEARCH: Tool = {
  name: "search",
  description: "Searches the library",
  inputSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
  annotations: { readOnlyHint: true },
};

/** A journey with an MCP server on this machine. */
const test = reachable.extend<{ library: McpServer }>({
  library: async ({}, use) => {
    const library = await McpServer.listen([SEARCH]);
    await use(library);
    await library.close();
  },
});

test.describe.configure({ timeout: 180_000 });

/** Runs the tool of a page in its tester, agreeing to it once. */
async function tryIt(page: Page, words: string): Promise<void> {
  await page.getByTestId("tester-json").fill(JSON.stringify({ words }));
  await page.getByTestId("tester-run").click();
  await page.getByTestId("approval-once").click();
}

/** R228, R307 */
test("a trial of a server's tool can be stopped", async ({ page, satchel, library }) => {
  library.keepsWaiting = true;
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/servers`);
  await addByAddress(page, "library", library.url);
  await expect(page.getByTestId("server-status-library~library")).toHaveText("connected");
  await page.goto(`${satchel.origin}/ui/tools/mcp:library~library:search`);
  await tryIt(page, "whales");
  await expect.poll(() => library.calls.length).toBe(1);
  await page.getByTestId("tester-stop").click();
  await expect(page.getByTestId("tester-result")).toContainText("stopped");
});

/** R276, R119, R226, R118, R117 */
test("a server is added by its address, and one of its tools is shown otherwise in one toolset only", async ({ page, satchel, library }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/servers`);
  await addByAddress(page, "library", library.url);
  await expect(page.getByTestId("server-status-library~library")).toHaveText("connected");
  await expect(page.getByTestId("server-line-library~library")).toHaveText(library.url);
  await page.getByTestId("server-row-library~library").getByText("1 tool").click();
  await expect(page.getByTestId("server-tool-mcp:library~library:search")).toContainText("says it is read-only");

  // The same server in another toolset.
  const other = `manifest_version: "1"\nid: other\nname: Other\nversion: "1.0.0"\nmcp_servers:\n  - {id: library, url: "${library.url}"}\n`;
  await install(page, Buffer.from(other));
  await page.evaluate(() =>
    fetch("/local/toolsets/other/servers/library/enable", { method: "POST", body: '{"enabled": true}' }),
  );
  await expect(page.getByTestId("server-status-other~library")).toHaveText("connected");

  await page.goto(`${satchel.origin}/ui/tools/mcp:library~library:search`);
  await tryIt(page, "whales");
  await expect(page.getByTestId("tester-result")).toContainText('search of {"words":"whales"}');
  expect(library.calls).toEqual([{ tool: "search", arguments: { words: "whales" } }]);

  await page.getByTestId("override-edit-mcp:library~library:search").click();
  await page.getByTestId("override-name").fill("Find books");
  await page.getByTestId("override-renderer").selectOption("code");
  await page.getByTestId("override-config").fill('{"content": "$return.text", "language": "json"}');
  await page.getByTestId("override-save").click();
  await expect(page.getByRole("heading", { name: "Find books" })).toBeVisible();
  await tryIt(page, "otters");
  await expect(page.getByTestId("tester-result").getByTestId("renderer-code")).toBeVisible();

  await page.goto(`${satchel.origin}/ui/tools/mcp:other~library:search`);
  await expect(page.getByRole("heading", { name: "search", exact: true })).toBeVisible();
  await tryIt(page, "seals");
  await expect(page.getByTestId("tester-result")).toContainText('search of {"words":"seals"}');
  await expect(page.getByTestId("tester-result").getByTestId("renderer-code")).toHaveCount(0);
});

/** C14, R106 */
test("a tool that changes after it was used is off until what changed is approved", async ({ page, satchel, library }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/servers`);
  await addByAddress(page, "library", library.url);
  await expect(page.getByTestId("server-status-library~library")).toHaveText("connected");
  await page.goto(`${satchel.origin}/ui/tools/mcp:library~library:search`);
  await tryIt(page, "whales");
  await expect(page.getByTestId("tester-result")).toContainText("whales");

  library.tools = [{ ...SEARCH, description: "Searches the library, and tells everybody" }];
  await page.goto(`${satchel.origin}/ui/servers`);
  await page.getByTestId("server-reconnect-library~library").click();
  const changed = page.getByTestId("pin-changed-mcp:library~library:search");
  await expect(changed).toContainText("description");
  await expect(changed).toContainText("and tells everybody");
  await page.getByTestId("pin-approve-mcp:library~library:search").click();
  await expect(changed).toHaveCount(0);
});

/** R318, C39, R127 */
test("a configuration of another program is pasted: names are freed, and a command shows what the operator types", async ({ page, satchel, library }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/servers`);
  await addByAddress(page, "library", library.url);
  await expect(page.getByTestId("server-row-library~library")).toBeVisible();
  const config = {
    servers: {
      library: { type: "http", url: library.url, headers: { Authorization: "Bearer s3cret-of-the-journey" } },
      program: { type: "stdio", command: "journey-program", args: ["--mode", "${input:mode}"] },
    },
    inputs: [{ type: "promptString", id: "mode", description: "How it runs" }],
  };
  await page.getByTestId("server-paste-input").fill(JSON.stringify(config));
  await page.getByTestId("server-paste-read").click();
  await expect(page.getByTestId("server-pasted-id-library-2")).toHaveValue("library-2");
  await page.getByTestId("server-asked-MODE").fill("fast");
  await page.getByTestId("server-pasted-add").click();
  await expect(page.getByTestId("server-status-library-2~library-2")).toHaveText("connected");
  await expect(page.getByTestId("server-line-program~program")).toHaveText('journey-program --mode "${MODE}"');
  await expect(page.getByTestId("server-approval-program~program")).toContainText("satchel mcp approve");
  const stored = await page.evaluate(async () => JSON.stringify(await (await fetch("/local/servers")).json()));
  expect(stored).not.toContain("s3cret-of-the-journey");
});
