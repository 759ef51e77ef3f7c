// The shell: it opens, it finds its way, it remembers, and it looks sound to a screen reader.

import { expectSound } from "./axe";
import { connected, expect, ready, test } from "./harness";


test("the address with its token opens the chat and connects", async ({ page, satchel }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(satchel.address);
  await connected(page);
  await expect(page).toHaveURL(`${satchel.origin}/ui/chat`);
  await expect(page.getByTestId("chat-input")).toBeVisible();
  await page.goto(`${satchel.origin}/ui/settings`);
  await expect(page.getByText("Connected", { exact: false }).first()).toBeVisible();
  await expect(page.getByTestId("server-account")).toContainText("me");
  const token = satchel.address.split("#token=")[1];
  expect(await page.content()).not.toContain(token);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(token);
  expect(errors).toEqual([]);
});

test("a wrong token in the address does not replace the one that works", async ({ page, satchel }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/settings`);
  await expect(page.getByText("Connected", { exact: false }).first()).toBeVisible();
  await page.goto("about:blank");
  await page.goto(`${satchel.origin}/#token=wrong`);
  await ready(page);
  await expect(page.getByTestId("notice").first()).toContainText("token");
  await page.goto(`${satchel.origin}/ui/settings`);
  await expect(page.getByText("Connected", { exact: false }).first()).toBeVisible();
});

test("chat and toolset configuration have their addresses", async ({ page, satchel }) => {
  for (const path of ["/ui/chat", "/ui/toolsets", "/ui/servers", "/ui/tools", "/ui/settings"]) {
    const response = await page.goto(satchel.origin + path);
    expect(response?.status(), path).toBe(200);
    await ready(page);
    await expect(page.locator("main h1, main h2").first(), path).toBeVisible();
  }
  await page.goto(`${satchel.origin}/`);
  await expect(page).toHaveURL(`${satchel.origin}/ui/chat`);
});

test("an unknown address says so and leads home", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/no-such-page`);
  await ready(page);
  await expect(page.locator("main")).toContainText(/no such page/i);
  await page.locator("main").getByRole("link").first().click();
  await expect(page).toHaveURL(/\/ui\/chat$/);
});

test("settings and the draft are there after a reload", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("link", { name: "Chat", exact: true }).first().click();
  await page.getByTestId("chat-input").fill("half a thought");
  // The draft is written once typing pauses; what the store holds is the sign, not the time.
  await page.waitForFunction(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const reading = database.transaction("drafts").objectStore("drafts").count();
    const count = await new Promise<number>((resolve) => (reading.onsuccess = () => resolve(reading.result)));
    database.close();
    return count > 0;
  });
  await page.reload();
  await ready(page);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByTestId("chat-input")).toHaveValue("half a thought");
});

test("the app paints before its WebAssembly arrives", async ({ page, satchel }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/*.wasm", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(satchel.origin, { waitUntil: "commit" });
  await expect(page.locator("#skeleton")).toBeVisible();
  await expect(page.locator("html")).not.toHaveAttribute("data-ready", "true");
  release();
  await ready(page);
  await expect(page.locator("#skeleton")).toHaveCount(0);
});

test("no page asks any other host for anything", async ({ page, profile, satchel }) => {
  for (const path of ["/ui/chat", "/ui/settings", "/ui/tools"]) {
    await page.goto(satchel.origin + path);
    await ready(page);
  }
  expect(profile.requests.length).toBeGreaterThan(3);
  const elsewhere = profile.requests.filter((url) => !url.startsWith(satchel.origin) && !url.startsWith("data:"));
  expect(elsewhere).toEqual([]);
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
]) {
  test(`every screen passes axe at ${width} px, light and dark`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height });
    for (const path of ["/ui/chat", "/ui/toolsets", "/ui/servers", "/ui/tools", "/ui/settings", "/ui/nowhere"]) {
      await page.goto(satchel.origin + path);
      await ready(page);
      await expectSound(page, path);
    }
  });
}
