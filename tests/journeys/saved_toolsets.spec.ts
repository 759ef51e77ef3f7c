// Saved toolsets: built, equipped, strict when a tool changes, managed by a model in configuration mode, and used by another program through the hub.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";

import { answered, open, send } from "./conversation";
import { expect, ready } from "./harness";
import { askHub } from "./mcp_program";
import { McpServer, type Tool } from "./mcp_server";
import { call, say, type ScriptedModel, test as scripted } from "./scripted_model";

const SEARCH: Tool = {
  name: "search",
  description: "Searches the library",
  inputSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
};
const LEND: Tool = { name: "lend", description: "Lends a book", inputSchema: { type: "object" } };
const CHANGED: Tool = { ...SEARCH, inputSchema: { type: "object", properties: { words: { type: "string" }, all: { type: "boolean" } } } };
const ENTER = "enter-configuration-mode";

/** A journey with a scripted model and an MCP server on this machine. */
const test = scripted.extend<{ library: McpServer }>({
  operator: '[outbound]\nprivate_hosts = ["127.0.0.1"]\n',
  library: async ({}, use) => {
    const library = await McpServer.listen([SEARCH, LEND]);
    await use(library);
    await library.close();
  },
});

test.describe.configure({ timeout: 180_000 });

/** The names of what the model was offered last. */
const offered = (model: ScriptedModel) => (model.asked.at(-1)?.tools ?? []).map((tool) => tool.function.name);

/** Adds the server and waits until it is connected. */
async function add(page: Page, origin: string, library: McpServer): Promise<void> {
  await page.goto(`${origin}/ui/servers`);
  await page.getByTestId("server-add-reached").fill(library.url);
  await page.getByTestId("server-add-name").fill("library");
  await page.getByTestId("server-add").click();
  await page.getByTestId("server-pasted-add").click();
  await expect(page.getByTestId("server-status-library~library")).toHaveText("connected");
}

/** Builds a saved toolset on the page of toolsets. */
async function build(page: Page, origin: string, name: string, tools: string[]): Promise<void> {
  await page.goto(`${origin}/ui/toolsets`);
  await page.getByTestId("saved-toolset-new").click();
  await page.getByTestId("saved-toolset-name").fill(name);
  for (const tool of tools) await page.getByTestId(`saved-toolset-tool-${tool}`).check();
  await page.getByTestId("saved-toolset-build").click();
  await expect(page.getByTestId(`saved-toolset-row-${name}`)).toBeVisible();
}

/** Equips a saved toolset in the chat that is open, anew where it is equipped already; what is said then. */
async function equip(page: Page, name: string): Promise<void> {
  await page.getByTestId("toolsets-popover-trigger").click();
  const row = page.getByTestId(`saved-toolset-row-${name}`);
  await expect(row).toBeVisible();
  if (await row.getByTestId("saved-toolset-unequip").isVisible()) await row.getByTestId("saved-toolset-unequip").click();
  await row.getByTestId(`saved-toolset-equip-${name}`).click();
  await expect(row.getByTestId("saved-toolset-unequip")).toBeVisible();
}

const closeWrench = (page: Page) => page.keyboard.press("Escape");

/** R277, R132, R137, R146, R151, R155, C14 */
test("R277: a saved toolset is built and equipped, the model sees only its tools, a changed schema is rejected, and allowing stale references accepts it", async ({ page, satchel, model, library }) => {
  model.script = () => say("Fine.");
  await open(page, satchel.address);
  await add(page, satchel.origin, library);
  await build(page, satchel.origin, "reading", ["library.search"]);

  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await send(page, "Hello");
  await answered(page, "Fine.");
  const chat = page.url();
  await equip(page, "reading");
  await expect(page.getByTestId("saved-toolset-warning")).toHaveCount(0);
  await closeWrench(page);
  await expect(page.getByTestId("toolsets-badge")).toHaveText("1");
  model.script = () => say("Only that.");
  await send(page, "What can you do?");
  await answered(page, "Only that.");
  expect(offered(model)).toEqual(["toolset__library__search", ENTER]);

  // The server changes the schema; the change is looked at and approved, and the reference is still stale.
  library.tools = [CHANGED, LEND];
  await page.goto(`${satchel.origin}/ui/servers`);
  await page.getByTestId("server-reconnect-library~library").click();
  await page.getByTestId("pin-approve-mcp:library~library:search").click();
  await expect(page.getByTestId("pin-changed-mcp:library~library:search")).toHaveCount(0);
  await page.goto(chat);
  await ready(page);
  await equip(page, "reading");
  await expect(page.getByTestId("saved-toolset-warning")).toHaveText([/^SECURITY: library\.search has another schema/]);
  await closeWrench(page);
  model.script = () => say("Nothing.");
  await send(page, "And now?");
  await answered(page, "Nothing.");
  expect(offered(model)).toEqual([ENTER]);

  // The switch is marked as insecure.
  await page.goto(`${satchel.origin}/ui/toolsets`);
  const row = page.getByTestId("saved-toolset-row-reading");
  await expect(row).toContainText("SECURITY");
  await expect(row).toContainText("insecure");
  await page.getByTestId("saved-toolset-stale-reading").click();
  await expect(row.getByText("Insecure", { exact: true })).toBeVisible();
  await page.goto(chat);
  await ready(page);
  await equip(page, "reading");
  await expect(page.getByTestId("saved-toolset-warning")).toHaveText([/^INSECURE, allowed by allowStaleRefs: library\.search/]);
  await closeWrench(page);
  model.script = () => say("That again.");
  await send(page, "And now?");
  await answered(page, "That again.");
  expect(offered(model)).toEqual(["toolset__library__search", ENTER]);
});

/** R137, R157: what is equipped is followed where it is used, and what was taken out in a chat stays out of it. */
test("tools are added to a saved toolset, and the chats that have it equipped get them", async ({ page, satchel, model, library }) => {
  model.script = () => say("Fine.");
  await open(page, satchel.address);
  await add(page, satchel.origin, library);
  await build(page, satchel.origin, "reading", ["library.search"]);
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await send(page, "Hello");
  await answered(page, "Fine.");
  const chat = page.url();
  await equip(page, "reading");
  await closeWrench(page);
  await expect(page.getByTestId("toolsets-badge")).toHaveText("1");

  await page.goto(`${satchel.origin}/ui/toolsets`);
  const row = page.getByTestId("saved-toolset-row-reading");
  await row.getByText("Tools", { exact: true }).click();
  await page.getByTestId("saved-toolset-more-reading").click();
  await expect(page.getByTestId("saved-toolset-add-reading-library.search")).toHaveCount(0);
  await page.getByTestId("saved-toolset-add-reading-library.lend").check();
  await page.getByTestId("saved-toolset-add-reading").click();
  await expect(row).toContainText("2 tools");
  // What was open stays open.
  await expect(page.getByTestId("saved-toolset-remove-reading-library.lend")).toBeVisible();

  await page.goto(chat);
  await ready(page);
  await expect(page.getByTestId("toolsets-badge")).toHaveText("2");
  model.script = () => say("Both.");
  await send(page, "And now?");
  await answered(page, "Both.");
  expect(offered(model)).toEqual(["toolset__library__search", "toolset__library__lend", ENTER]);

  await page.getByTestId("toolsets-popover-trigger").click();
  await page.getByTestId("toolset-expand-library").click();
  await expect(page.getByTestId("tool-checkbox-library-lend")).toBeChecked();
  await page.getByTestId("tool-checkbox-library-lend").click();
  await expect(page.getByTestId("toolsets-badge")).toHaveText("1");
  await closeWrench(page);
  model.script = () => say("One.");
  await send(page, "And now?");
  await answered(page, "One.");
  expect(offered(model)).toEqual(["toolset__library__search", ENTER]);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("toolsets-badge")).toHaveText("1");
});

/** R134, R138, R142, C16 */
test("in configuration mode a model builds and equips a saved toolset, and goes on with its tools", async ({ page, satchel, model, library }) => {
  await open(page, satchel.address);
  await add(page, satchel.origin, library);
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await page.getByTestId("config-mode").click();
  await expect(page.getByTestId("config-mode")).toHaveAttribute("aria-checked", "true");
  const tools = [{ namespacedName: "library.lend" }];
  model.script = (_, turn) =>
    turn === 0 ? call(["build-toolset", { name: "lending", tools, autoEquip: true }]) : say("Ready to lend.");
  await send(page, "I only want to lend books.");
  await answered(page, "Ready to lend.");
  expect((model.asked[0].tools ?? []).map((tool) => tool.function.name)).toContain("list-available-tools");
  expect(model.asked[0].tools).toHaveLength(9);
  expect(offered(model)).toEqual(["toolset__library__lend", ENTER]);
  await expect(page.getByTestId("config-mode")).toHaveAttribute("aria-checked", "false");

  // Unequipped, the chat has what it had chosen before: nothing.
  await page.getByTestId("toolsets-popover-trigger").click();
  await page.getByTestId("saved-toolset-unequip").click();
  await expect(page.getByTestId("saved-toolset-equip-lending")).toBeVisible();
  await closeWrench(page);
  model.script = () => say("Nothing chosen.");
  await send(page, "And now?");
  await answered(page, "Nothing chosen.");
  expect(offered(model)).toEqual([ENTER]);
});

/** R154, R157, R158, R139 */
test("saved toolsets come from files of hypertool and go into them, and a default is generated and deleted", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const file = { "dev-essentials": { name: "dev-essentials", createdAt: "2024-01-15T10:30:00Z", tools: [{ namespacedName: "git.status", refId: "sha256:abc123" }] } };
  const buffer = Buffer.from(JSON.stringify({ toolsets: file, lastEquippedToolset: "dev-essentials", version: "1.0.0" }));
  await page.getByTestId("saved-toolset-import-input").setInputFiles({ name: "config.json", mimeType: "application/json", buffer });
  await expect(page.getByTestId("saved-toolset-row-dev-essentials")).toContainText("Tool not found: git.status");
  const saving = page.waitForEvent("download");
  await page.getByTestId("saved-toolset-export-all").click();
  const exported = JSON.parse(await readFile(await (await saving).path(), "utf8"));
  expect(exported["dev-essentials"].tools).toEqual([{ namespacedName: "git.status", refId: "sha256:abc123" }]);

  await page.getByTestId("saved-toolset-generate").click();
  const generated = page.getByTestId("saved-toolset-row-default");
  await expect(generated).toContainText("11 tools");
  await generated.getByTestId("saved-toolset-delete-default").click();
  await generated.getByTestId("confirm-ok").click();
  await expect(generated).toHaveCount(0);
});

/** A person saves what is chosen in a chat and uses it from another MCP client. */
test("what is chosen is saved by the wrench, and another program uses it at /mcp", async ({ page, satchel, library }) => {
  await page.goto(satchel.address);
  await ready(page);
  await add(page, satchel.origin, library);
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await page.getByTestId("toolsets-popover-trigger").click();
  await page.getByTestId("toolset-checkbox-library").click();
  await page.getByTestId("saved-toolset-name").fill("both");
  await page.getByTestId("saved-toolset-build").click();
  await page.getByTestId("saved-toolset-equip-both").click();
  await expect(page.getByTestId("saved-toolset-unequip")).toBeVisible();

  const ask = (method: string, params: object) => askHub(satchel, method, params);
  const names = async () => ((await ask("tools/list", {}))?.tools ?? []).map((tool: Tool) => tool.name);
  await expect.poll(names, { timeout: 30_000 }).toEqual(["library_search", "library_lend", ENTER]);
  const found = await ask("tools/call", { name: "library_search", arguments: { words: "whales" } });
  expect(found.content[0].text).toBe('search of {"words":"whales"}');
  expect(library.calls).toEqual([{ tool: "search", arguments: { words: "whales" } }]);

  // What the other program builds comes to the app.
  await ask("tools/call", { name: ENTER, arguments: {} });
  const tools = [{ namespacedName: "library.lend" }];
  await ask("tools/call", { name: "build-toolset", arguments: { name: "from-outside", tools } });
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await expect(page.getByTestId("saved-toolset-row-from-outside")).toBeVisible({ timeout: 30_000 });
});
