// The MCP servers of an imported toolset: what the confirmation names, what is connected after it, and what waits for the operator.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { asFile, zip } from "./bundle";
import { connected, expect, freePort, Satchel, test as journey } from "./harness";
import { McpServer } from "./mcp_server";

const SEARCH = { name: "search", description: "Searches the library", inputSchema: { type: "object" } };

/** A journey with two MCP servers on this machine, of which the Satchel server may reach the first. */
const test = journey.extend<{ library: McpServer; hidden: McpServer }>({
  library: async ({}, use) => {
    const library = await McpServer.listen([SEARCH]);
    await use(library);
    await library.close();
  },
  hidden: async ({}, use) => {
    const hidden = await McpServer.listen([SEARCH]);
    await use(hidden);
    await hidden.close();
  },
  satchel: async ({ folder, library }, use) => {
    const data = join(folder, "data");
    await mkdir(data, { recursive: true });
    await writeFile(join(data, "satchel.toml"), `[outbound]\nprivate_hosts = ["${new URL(library.url).host}"]\n`);
    const satchel = new Satchel(await freePort(), data);
    await satchel.start();
    await use(satchel);
    await satchel.stop();
  },
});

test.describe.configure({ timeout: 180_000 });

/** F17, R057, C39, R262 */
test("a bundle's servers are named, its addresses connected, and its command is started only when the operator has approved it", async ({ page, satchel, library, hidden, folder }) => {
  const canary = join(folder, "started");
  const servers = [
    { id: "program", command: "sh", args: ["-c", `echo started > ${canary}`] },
    { id: "library", url: library.url },
    { id: "hidden", url: hidden.url },
  ];
  const yaml = `manifest_version: "1"\nid: stranger\nname: Stranger\nversion: "1.0.0"\nmcp_servers: ${JSON.stringify(servers)}\n`;
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await page.getByTestId("toolset-import-input").setInputFiles(asFile("stranger.zip", zip([{ path: "toolset.yaml", text: yaml }])));
  const dialog = page.getByTestId("import-dialog");
  await expect(dialog.getByTestId("server-line")).toHaveText([`sh -c "echo started > ${canary}"`, library.url, hidden.url]);
  expect(library.requests, "looking connects to nothing").toBe(0);
  await dialog.getByTestId("import-confirm").click();
  await expect(dialog).toHaveCount(0);

  await page.goto(`${satchel.origin}/ui/servers`);
  await expect(page.getByTestId("server-status-stranger~library")).toHaveText("connected");
  const approval = page.getByTestId("server-approval-stranger~program");
  await expect(approval).toContainText("satchel mcp approve");
  await expect(page.getByTestId("server-row-stranger~hidden")).toContainText("private_hosts");
  await page.getByTestId("server-reconnect-stranger~program").click();
  await expect(approval).toContainText("satchel mcp approve");
  expect(hidden.requests, "a private address that is not allowed is not reached").toBe(0);
  expect(existsSync(canary), "nothing is started that nobody has approved").toBe(false);

  const fingerprint = (await approval.textContent())?.match(/satchel mcp approve ([0-9a-f]{64})/)?.[1] ?? "";
  satchel.command("mcp", "approve", fingerprint);
  await expect.poll(() => existsSync(canary), { message: "the command that was approved is started" }).toBe(true);
});
