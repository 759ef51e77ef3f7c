// The page of MCP servers, as the journeys use it.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";

import { freePort, Satchel, test as journey } from "./harness";

/** The folder with the real servers that `cargo xtask test` sets up. */
const REAL = join(import.meta.dirname, "../mcp/node_modules/@modelcontextprotocol");

/** A journey whose Satchel server may reach servers of this machine. */
export const reachable = journey.extend({
  satchel: async ({ folder }, use) => {
    const data = join(folder, "data");
    await mkdir(data, { recursive: true });
    await writeFile(join(data, "satchel.toml"), '[outbound]\nprivate_hosts = ["127.0.0.1"]\n');
    const satchel = new Satchel(await freePort(), data);
    await satchel.start();
    await use(satchel);
    await satchel.stop();
  },
});

/** A real server, as other programs have it in their configurations. */
export function realServer(name: string, ...more: string[]): { command: string; args: string[] } {
  return { command: "node", args: [join(REAL, name, "dist/index.js"), ...more] };
}

/** Adds a server by its address, on the page of servers. */
export async function addByAddress(page: Page, name: string, url: string): Promise<void> {
  await page.getByTestId("server-add-reached").fill(url);
  await page.getByTestId("server-add-name").fill(name);
  await page.getByTestId("server-add").click();
  await page.getByTestId("server-pasted-add").click();
}

/** Everything that is stored in this browser, as one text. */
export function everythingStored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const texts: string[] = [];
    for (const name of database.objectStoreNames) {
      const rows = database.transaction(name).objectStore(name).getAll();
      await new Promise((resolve) => (rows.onsuccess = resolve));
      const readable = (_: string, value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
      texts.push(JSON.stringify(rows.result, readable));
    }
    database.close();
    return texts.join("\n");
  });
}
