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

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

test("the check finds everything sound, and the kinds are counted", async ({ page, satchel }) => {
  await begin(page, satchel.origin);
  await check(page, satchel.origin);
  await expect(page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "good");
  await expect(page.getByTestId("check-report")).toContainText("States of files followed: 2.");
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
  await expect(page.getByTestId("check-report")).toContainText("States set back to a sound one: 1.");

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

test("a check is stopped, and another one can follow", async ({ page, satchel }) => {
  await begin(page, satchel.origin);
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  // Whoever writes to the blobs keeps all others waiting, so the check cannot end by itself.
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
  await page.getByTestId("check-storage").click();
  await page.getByTestId("check-stop").click();
  await expect(page.getByText("The check was stopped. Nothing was changed.")).toBeVisible();
  await page.evaluate(() => ((window as unknown as { release: boolean }).release = true));
  await page.getByTestId("check-storage").click();
  await expect(page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "good");
});
