// The parts of the app that are fetched when a page is first opened: not before, on the device afterwards, and asked for
// again when they did not arrive.
import { expect, kept, ready, test } from "./harness";

const CHUNK = /\/chunk-settings-[0-9a-f]{16}\.wasm$/;

test("the chat page loads no other page's chunk, and the settings load theirs", async ({ page, satchel }) => {
  // What the page itself asks for; the service worker stores every file of the app in its own time.
  const asked: string[] = [];
  page.on("request", (request) => !request.serviceWorker() && asked.push(request.url()));
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await expect(page.getByTestId("chat-input")).toBeVisible();
  await expect(page.getByTestId("workspace-panel")).toBeVisible();
  expect(asked.filter((url) => /\/chunk-(settings|managing)-/.test(url))).toEqual([]);
  await page.getByRole("link", { name: "Settings", exact: true }).first().click();
  await expect(page.getByRole("radio", { name: "Dark" })).toBeVisible();
  expect(asked.filter((url) => CHUNK.test(url))).toHaveLength(1);
});

test("with the server stopped and the browser cold, every page opens though none was opened before", async ({
  page,
  profile,
  satchel,
}) => {
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await kept(page);
  await profile.close();
  await satchel.stop();

  const cold = await profile.open();
  for (const path of ["/ui/toolsets", "/ui/servers", "/ui/tools", "/ui/settings"]) {
    await cold.goto(satchel.origin + path);
    await ready(cold);
    await expect(cold.locator("main h1").first(), path).not.toHaveText("This page could not be loaded");
  }
  await expect(cold.getByRole("radio", { name: "Dark" })).toBeVisible();
});

test("a chunk that does not arrive is said, and can be asked for again", async ({ page, profile, satchel }) => {
  // Without a service worker, so that each answer is the network's.
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
  await profile.context?.route(CHUNK, (route) => route.abort());
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  const main = page.locator("main");
  await expect(main.getByRole("heading", { name: "This page could not be loaded" })).toBeVisible();
  await main.getByRole("button", { name: "Try again" }).click();
  await expect(main.getByRole("heading", { name: "This page could not be loaded" })).toBeVisible();
  await profile.context?.unroute(CHUNK);
  await main.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("radio", { name: "Dark" })).toBeVisible();
});
