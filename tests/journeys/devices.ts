// Devices of one account: each a browser with a profile of its own, and all it has that is synced.
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { connected, expect, Profile, ready, type Satchel, test as journey } from "./harness";

/** A device. */
export class Device {
  readonly profile: Profile;
  page!: Page;

  constructor(
    private readonly satchel: Satchel,
    folder: string,
  ) {
    this.profile = new Profile(folder);
  }

  /** Opens the app, connected to the server. */
  async open(): Promise<void> {
    this.page = await this.profile.open();
    await this.connect();
  }

  async connect(): Promise<void> {
    await this.page.goto(this.satchel.address);
    await connected(this.page);
  }

  /** Goes to a page of the app. */
  async at(path: string): Promise<void> {
    await this.page.goto(`${this.satchel.origin}${path}`);
    await ready(this.page);
  }

  /** Begins sync here; the code. */
  async start(): Promise<string> {
    await this.at("/ui/settings#sync");
    await this.page.getByTestId("sync-start").click();
    await expect(this.page.getByTestId("sync-picture")).toBeInViewport({ ratio: 1 });
    const code = (await this.page.getByTestId("sync-code").textContent()) ?? "";
    await this.page.getByTestId("sync-show-code").click();
    await this.isUpToDate();
    return code;
  }

  /** Types a code and presses the button. */
  async type(code: string): Promise<void> {
    await this.at("/ui/settings#sync");
    await this.page.getByTestId("sync-join-input").fill(code);
    await this.page.getByTestId("sync-join").click();
  }

  /** Joins with a code. */
  async join(code: string): Promise<void> {
    await this.type(code);
    await this.isUpToDate();
  }

  async isUpToDate(): Promise<void> {
    await expect(this.page.getByTestId("sync-badge")).toHaveText("Synced", { timeout: 60_000 });
  }

  /** Everything that syncs, rows with their stamps and the names of contents, as one text. */
  everything(): Promise<string> {
    return this.page.evaluate(async () => {
      const opening = indexedDB.open("satchel");
      const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
      const local = ["drafts", "positions", "grants", "approvals", "tool_metrics", "python_packages", "mcp_seen"];
      const rest = ["meta", "outbox", "blobs", "secrets", "device_keys"];
      const tables = [...database.objectStoreNames].filter((name) => ![...local, ...rest].includes(name)).sort();
      const all = (request: IDBRequest) => new Promise<any[]>((resolve) => (request.onsuccess = () => resolve(request.result)));
      const sorted = (text: string) => JSON.stringify(Object.entries(JSON.parse(text)).sort());
      const found: unknown[] = [];
      for (const name of tables) {
        const store = database.transaction(name).objectStore(name);
        const [keys, rows] = await Promise.all([all(store.getAllKeys()), all(store.getAll())]);
        found.push([name, keys.map((key, at) => [key, sorted(rows[at].fields), sorted(rows[at].stamps), rows[at].deleted])]);
      }
      found.push(await all(database.transaction("blobs").objectStore("blobs").getAllKeys()));
      database.close();
      return JSON.stringify(found);
    });
  }

  /** How many rows wait to be sent. */
  waiting(): Promise<number> {
    return this.page.evaluate(async () => {
      const opening = indexedDB.open("satchel");
      const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
      const asking = database.transaction("outbox").objectStore("outbox").count();
      const count = await new Promise<number>((resolve) => (asking.onsuccess = () => resolve(asking.result)));
      database.close();
      return count;
    });
  }
}

/** Waits until all have the same, and nothing waits to be sent. */
export async function agree(...devices: Device[]): Promise<void> {
  const unlike = async () => {
    for (const device of devices) if ((await device.waiting()) > 0) return "something waits to be sent";
    const [first, ...others] = await Promise.all(devices.map((device) => device.everything()));
    const other = others.findIndex((other) => other !== first);
    return other < 0 ? "" : `device ${other + 1} differs from the first`;
  };
  await expect.poll(unlike, { message: "the devices have the same", timeout: 90_000 }).toBe("");
}

/** A code that is one, of an account that nobody has. */
export function strangersCode(): string {
  const key = randomBytes(16);
  const check = createHash("sha256").update("satchel sync code 1").update(key).digest().subarray(0, 4);
  const bits = [...Buffer.concat([key, check])].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[parseInt(five, 2)]).join("");
}

/** A journey with devices: each call opens one more. */
export const test = journey.extend<{ device: () => Promise<Device> }>({
  device: async ({ folder, satchel }, use) => {
    const devices: Device[] = [];
    await use(async () => {
      const device = new Device(satchel, join(folder, `device-${devices.length + 1}`));
      devices.push(device);
      await device.open();
      return device;
    });
    for (const device of devices) await device.profile.close();
  },
});
