// Trouble: each kind gets one clear sentence and a way on.
import { join } from "node:path";

import { expect, freePort, ready, Satchel, test } from "./harness";

test("a browser without storage is told, and can go on without saving", async ({ page, satchel }) => {
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("storage is off", "SecurityError");
    };
  });
  await page.goto(satchel.origin);
  await expect(page.getByText("This browser gives Satchel no storage").first()).toBeVisible();
  await page.getByRole("button", { name: "Continue without saving" }).click();
  await expect(page.getByTestId("chat-input")).toBeVisible();
  // What needs storage says so, to people and to scripts.
  await page.getByRole("link", { name: "Toolsets", exact: true }).first().click();
  await expect(page.getByText("toolsets and the local API need it")).toHaveCount(2);
  await expect(page.getByText("The toolsets cannot be read")).toContainText("toolsets and the local API need it");
  await expect(page.getByText("The saved toolsets cannot be read")).toContainText("toolsets and the local API need it");
  await expect.poll(() => page.evaluate(async () => (await fetch("/local/toolsets")).status)).toBe(501);
});

test("data of a newer version is left alone", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/healthz`);
  await page.evaluate(async () => {
    const opening = indexedDB.open("satchel", 99_999);
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    database.close();
  });
  await page.goto(satchel.origin);
  await expect(page.getByText("Your data was written by a newer version").first()).toBeVisible();
  expect(await page.evaluate(async () => (await indexedDB.databases())[0].version)).toBe(99_999);
});

test("a page that is not in a secure context says what is missing", async ({ profile, folder }) => {
  const port = await freePort();
  const name = `satchel.test:${port}`;
  const satchel = new Satchel(port, join(folder, "lan"), ["--public-url", `http://${name}`]);
  await satchel.start();
  try {
    const page = await profile.open({ args: ["--host-resolver-rules=MAP satchel.test 127.0.0.1"] });
    await page.goto(`http://${name}/`);
    await expect(page.locator("body")).toContainText("HTTPS");
    await expect(page.locator("body")).toContainText("--tls-cert");
  } finally {
    await satchel.stop();
  }
});

test("localhost leads to the one address the data lives at", async ({ page, satchel }) => {
  await page.goto(`http://localhost:${satchel.port}/ui/tools`);
  await expect(page).toHaveURL(`${satchel.origin}/ui/tools`);
});

test("a second tab of another version closes the store of the first, which says so", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.evaluate(async () => {
    const opening = indexedDB.open("satchel", 99_999);
    await new Promise((resolve) => (opening.onsuccess = resolve));
    opening.result.close();
  });
  await expect(page.getByTestId("notice").first()).toContainText("newer version");
});
