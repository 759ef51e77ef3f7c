// What is stored: checked, set right, counted, and kept within limits.
import { createHash } from "node:crypto";

import type { Page } from "@playwright/test";

import { damage, expect, ready, setting, test } from "./harness";

const file = (page: Page, path: string) => page.getByTestId(`workspace-file-${path}`);
const upload = async (page: Page, name: string, content: string) => {
  const buffer = Buffer.from(content);
  await page.getByTestId("workspace-upload-input").setInputFiles({ name, mimeType: "text/plain", buffer });
};

/** Begins a chat with one message and two files, each in a state of its own. */
async function begin(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await ready(page);
  await page.getByTestId("chat-input").fill("Files to look after");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toHaveCount(1);
  for (const name of ["first.txt", "second.txt"]) {
    await upload(page, name, `the content of ${name}`);
    await expect(file(page, name)).toBeVisible();
  }
}

async function check(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/ui/settings`);
  await ready(page);
  await page.getByTestId("check-storage").click();
  await expect(page.getByTestId("check-verdict")).toBeVisible();
}

/** Whoever writes to the blobs keeps all others waiting, so that a check cannot end by itself; until it is let go. */
async function hold(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const blobs = database.transaction("blobs", "readwrite").objectStore("blobs");
    const state = window as unknown as { release: boolean };
    state.release = false;
    const again = () => {
      if (state.release) return database.close();
      blobs.count().onsuccess = again;
    };
    await new Promise<void>((resolve) => {
      blobs.count().onsuccess = () => {
        again();
        resolve();
      };
    });
  });
  return () => page.evaluate(() => void ((window as unknown as { release: boolean }).release = true));
}

/** Takes away what the messages of chats are found by. */
async function loseMessages(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const transaction = database.transaction("messages", "readwrite");
    const cursor = transaction.objectStore("messages").openCursor();
    cursor.onsuccess = () => {
      if (!cursor.result) return;
      const { by_chat_id: _, ...row } = cursor.result.value;
      cursor.result.update(row);
      cursor.result.continue();
    };
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  });
}

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

test("the check finds everything sound, and the kinds are counted", async ({ page, satchel }) => {
  await begin(page, satchel.origin);
  await check(page, satchel.origin);
  await expect(page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "good");
  await expect(page.getByTestId("check-report")).toContainText("States of files checked: 2.");
  await expect(page.getByTestId("check-finding")).toHaveCount(0);
  const kinds = page.getByTestId("storage-kinds");
  await expect(kinds.getByRole("row", { name: /Conversations/ })).toContainText("1");
  await expect(kinds.getByRole("row", { name: /Files of chats/ })).toContainText("49 B");
});

test("damage is found, set right where it can be, and what is left is exported and removed", async ({ page, satchel }) => {
  await begin(page, satchel.origin);
  const chat = page.url();
  await damage(page, sha256("the content of second.txt"));
  await check(page, satchel.origin);
  await expect(page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "bad");
  await page.getByTestId("check-repair").click();
  await expect(page.getByTestId("check-report")).toContainText("States set back to the last good one: 1.");

  const left = page.getByTestId("check-finding");
  await expect(left.first()).toBeVisible();
  const downloading = page.waitForEvent("download");
  await left.first().getByTestId("check-export").click();
  expect((await downloading).suggestedFilename()).toMatch(/\.(bin|json)$/);
  for (let count = await left.count(); count > 0; count -= 1) {
    await left.first().getByTestId("check-remove").click();
    await expect(left.first().getByTestId("check-remove")).toHaveText("Remove for good");
    await left.first().getByTestId("check-remove").click();
    await expect(left).toHaveCount(count - 1);
  }
  await expect(page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "good");

  await page.goto(chat);
  await ready(page);
  await expect(file(page, "first.txt")).toBeVisible();
  await expect(file(page, "second.txt")).toHaveCount(0);
});

test("a limit is a setting, and meeting it says which", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  await setting(page, "limit_file_bytes", "0.001");
  await page.goto(satchel.origin);
  await ready(page);
  await upload(page, "large.txt", "x".repeat(1_001));
  await expect(page.getByTestId("notice").filter({ hasText: "size of a file" })).toBeVisible();
  await expect(file(page, "large.txt")).toHaveCount(0);
  // What was refused whole begins no chat.
  await expect(page.getByTestId("chat-list-item")).toHaveCount(0);
  await expect(page).toHaveURL(/\/ui\/chat$/);

  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  await expect(page.getByTestId("limit_file_bytes")).toHaveValue("0.001");
  await setting(page, "limit_file_bytes", "1");
  await page.goto(satchel.origin);
  await ready(page);
  await upload(page, "large.txt", "x".repeat(1_001));
  await expect(file(page, "large.txt")).toBeVisible();
});

/** R317: a row that is there and not found is found again, where nothing else is wrong. */
test("messages that are not found by their chat are found again after a repair", async ({ page, satchel }) => {
  await begin(page, satchel.origin);
  const chat = page.url();
  await loseMessages(page);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("chat-title")).toHaveValue("Files to look after");
  await expect(page.getByTestId("message-user")).toHaveCount(0);

  await check(page, satchel.origin);
  await expect(page.getByTestId("check-verdict")).toHaveText("Everything is there, but some entries are indexed wrongly.");
  await expect(page.getByTestId("check-report")).toContainText("Entries indexed wrongly: 1.");
  await page.getByTestId("check-repair").click();
  await expect(page.getByTestId("check-report")).toContainText("Entries indexed again: 1.");
  await expect(page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "good");
  await page.goto(chat);
  await ready(page);
  await expect(page.getByTestId("message-user")).toContainText(["Files to look after"]);
});

test("a repair that is stopped says that what it had set right stays so", async ({ page, satchel }) => {
  await begin(page, satchel.origin);
  const chat = page.url();
  await loseMessages(page);
  await check(page, satchel.origin);
  const release = await hold(page);
  await page.getByTestId("check-repair").click();
  // The indexes come first, and need no blobs.
  const isFound = () =>
    page.evaluate(async () => {
      const opening = indexedDB.open("satchel");
      const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
      const counting = database.transaction("messages").objectStore("messages").index("chat_id").count();
      const count = await new Promise<number>((resolve) => (counting.onsuccess = () => resolve(counting.result)));
      database.close();
      return count;
    });
  await expect.poll(isFound).toBe(1);
  await page.getByTestId("check-stop").click();
  await expect(page.getByTestId("check-stopped")).toHaveText(
    "The repair was stopped. What it had repaired stays repaired; everything else is unchanged.",
  );
  await release();
  await page.goto(chat);
  await ready(page);
  await expect(page.getByTestId("message-user")).toContainText(["Files to look after"]);
});

test("a check is stopped, and another one can follow", async ({ page, satchel }) => {
  await begin(page, satchel.origin);
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  const release = await hold(page);
  await page.getByTestId("check-storage").click();
  await page.getByTestId("check-stop").click();
  await expect(page.getByTestId("check-stopped")).toHaveText("The check was stopped. Nothing was changed.");
  await release();
  await page.getByTestId("check-storage").click();
  await expect(page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "good");
});
