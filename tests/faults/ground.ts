// What the fault rows share: looking at what is stored, and saying what was found.
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { Page } from "@playwright/test";

import { expect, ready } from "../journeys/harness";

export type Upload = { name: string; mimeType: string; buffer: Buffer };

export const file = (page: Page, path: string) => page.getByTestId(`workspace-file-${path}`);
export const text = (name: string, content: string | Buffer): Upload => ({ name, mimeType: "text/plain", buffer: Buffer.from(content as string) });
export const upload = (page: Page, files: Upload[]) => page.getByTestId("workspace-upload-input").setInputFiles(files);
export const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");

/** Takes all notices away: they lie over what is clicked next. */
export async function dismiss(page: Page): Promise<void> {
  const close = page.getByTestId("notice").getByRole("button", { name: "Dismiss" });
  while ((await close.count()) > 0) {
    // One may go by itself meanwhile.
    await close.first().click({ timeout: 1_000 }).catch(() => {});
  }
}

/** Begins a chat with one message; its id. */
export async function begin(page: Page, origin: string, words: string): Promise<string> {
  await page.goto(origin);
  await ready(page);
  await page.getByTestId("chat-input").fill(words);
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toHaveCount(1);
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  return page.url().split("/").pop() as string;
}

/** Asks the local API, once the service worker hands requests on to the page. */
export async function ask(page: Page, method: string, path: string): Promise<{ status: number; body: any }> {
  return page.evaluate(
    async ([method, path]) => {
      const active = await navigator.serviceWorker.ready;
      while (!navigator.serviceWorker.controller && active) await new Promise((resolve) => setTimeout(resolve, 20));
      const response = await fetch(path, { method });
      const words = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return { status: response.status, body: isJson ? JSON.parse(words) : words };
    },
    [method, path],
  );
}

/** Every blob re-hashes to its name, every manifest is closed. */
export async function expectClean(page: Page): Promise<void> {
  const { status, body } = await ask(page, "POST", "/local/check");
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.broken).toEqual([]);
}

/** All that is stored and that a user could miss, as one text: drafts and positions are not part of it. */
export const dump = (page: Page) =>
  page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await settled(indexedDB.open("satchel"));
    const stores = [...database.objectStoreNames].filter((name) => !["drafts", "positions", "device_keys", "secrets", "meta"].includes(name));
    const transaction = database.transaction(stores);
    const all = stores.map(async (name) => {
      const store = transaction.objectStore(name);
      const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
      return [name, keys.map((key, at) => [key, name === "blobs" ? values[at].length : values[at]])];
    });
    const found = JSON.stringify(await Promise.all(all));
    database.close();
    return found;
  });

/** Leaves what was found for the line of the row. */
export async function report(row: string, detail: string): Promise<void> {
  const path = `${process.env.SATCHEL_FAULTS ?? "target/faults"}/${row}.json`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ detail }));
}
