// A chat of hundreds of messages: its end is there at once, the rest when it is wanted.
import type { Page } from "@playwright/test";

import { expect, ready, test } from "./harness";
import { begin, say } from "./seeded";

const COUNT = 400;

declare global {
  interface Window {
    /** While this is so, the page has always something better to do. */
    isBusy?: boolean;
  }
}

/** Runs in the page before anything else. */
function beBusy() {
  const ask = window.requestIdleCallback.bind(window);
  window.requestIdleCallback = (callback, options) => ask((time) => void (window.isBusy ? window.requestIdleCallback(callback, options) : callback(time)));
}

async function longChat(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/ui/chat`);
  await ready(page);
  const chat = await begin(page, "The very first");
  const words = (at: number) => (at === 150 ? "A marmoset in the middle" : `Message ${at}`);
  await say(page, chat, Array.from({ length: COUNT - 1 }, (_, at) => [at % 2 ? "user" : "assistant", words(at + 2)]));
  await page.getByTestId("new-chat").first().click();
  await expect(page.getByTestId("message-user")).toHaveCount(0);
}

const enter = (page: Page) => page.getByTestId("chat-list-item").first().click();
const first = (page: Page) => page.getByTestId("message-user").filter({ hasText: "The very first" });
const last = (page: Page) => page.getByText(`Message ${COUNT}`, { exact: true });

test("a long chat opens at its end, and what is far from it is drawn when somebody goes there", async ({ page, satchel }) => {
  await page.addInitScript(beBusy);
  await longChat(page, satchel.origin);
  await page.evaluate(() => (window.isBusy = true));
  await enter(page);
  await expect(last(page)).toBeInViewport();
  await expect(first(page)).toHaveCount(0);
  const drawn = () => page.locator("#messages .message").count();
  expect(await drawn()).toBeLessThan(COUNT / 4);
  // The scroll bar has room for all of them.
  expect(await page.locator("#messages").evaluate((list) => list.scrollHeight)).toBeGreaterThan(COUNT * 100);

  // What is found is drawn where it stands, with its neighbours in place.
  await page.evaluate(() => (window.isBusy = false));
  await page.keyboard.press("ControlOrMeta+k");
  await page.evaluate(() => (window.isBusy = true));
  await page.getByTestId("search-input").fill("marmoset");
  await page.getByTestId("search-result").filter({ hasText: "marmoset" }).first().click();
  await expect(page.getByText("A marmoset in the middle")).toBeInViewport();
  await expect(page.getByText("Message 149", { exact: true })).toBeInViewport();

  // By hand, up to the first one.
  await page.locator("#messages").hover();
  await expect(async () => {
    await page.mouse.wheel(0, -20_000);
    await expect(first(page)).toBeInViewport({ timeout: 500 });
  }).toPass();
});

test("a long chat is drawn whole while nobody does anything, and its reader stays where they are", async ({ page, satchel }) => {
  await longChat(page, satchel.origin);
  await enter(page);
  await expect(page.locator("#messages .message")).toHaveCount(COUNT);
  await expect(first(page)).toHaveCount(1);
  await expect(last(page)).toBeInViewport();
});
