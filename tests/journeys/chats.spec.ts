// Chats are trees: what is said stays, an edit is a branch beside it, and nothing deleted is gone at once.
import type { Page } from "@playwright/test";

import { expectSound } from "./axe";
import { expect, ready, test } from "./harness";

/** What is kept of what was typed. */
const drafts = (page: Page) =>
  page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const asking = database.transaction("drafts").objectStore("drafts").getAll();
    const rows = await new Promise<{ fields?: string }[]>((resolve) => (asking.onsuccess = () => resolve(asking.result)));
    database.close();
    return rows.map((row) => JSON.parse(row.fields ?? "{}").text);
  });

test("a chat is kept as a tree, with its branches, over a reload", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("chat-input").fill("First question\nwith a second line");
  await page.getByTestId("send-button").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  await expect(page.getByTestId("chat-title")).toHaveValue("First question");
  await expect(page.getByTestId("chat-list-item")).toHaveText("First question");
  await page.getByTestId("chat-input").fill("A follow-up");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("message-user")).toHaveCount(2);

  // An edit of the first message is its sibling, and the follow-up stays with the one it followed.
  await page.getByTestId("message-edit").first().click();
  await page.getByTestId("message-edit-text").fill("First question, put better");
  await page.getByTestId("message-edit-save").click();
  await expect(page.getByTestId("message-user")).toHaveCount(1);
  await expect(page.getByTestId("branch-count")).toHaveText("2 / 2");
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("message-user")).toContainText(["put better"]);
  await page.getByTestId("branch-prev").click();
  await expect(page.getByTestId("message-user")).toHaveCount(2);
  await expect(page.getByTestId("message-user").last()).toContainText("A follow-up");
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("branch-count")).toHaveText("1 / 2");
});

test("a chat is renamed, deleted, and brought back", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("chat-input").fill("Something to keep");
  await page.getByTestId("send-button").click();
  await page.getByTestId("chat-title").fill("Kept");
  await page.keyboard.press("Tab");
  await expect(page.getByTestId("chat-list-item")).toHaveText("Kept");
  await page.getByTestId("chat-delete").click();
  await expect(page.getByTestId("chat-list-item")).toHaveCount(0);
  await expect(page.getByText("This chat is not on this device")).toBeVisible();
  await page.getByTestId("notice").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("chat-list-item")).toHaveText("Kept");
  await expect(page.getByTestId("message-user")).toContainText(["Something to keep"]);
});

/** R319 */
test("a deleted chat waits under Recently deleted, until it is brought back or deleted for good", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await expect(page.getByTestId("deleted-chats-link")).toHaveCount(0);
  for (const words of ["The first", "The second"]) {
    await page.getByTestId("new-chat").click();
    await page.getByTestId("chat-input").fill(words);
    await page.getByTestId("send-button").click();
    await expect(page.getByTestId("chat-title")).toHaveValue(words);
    await page.getByTestId("chat-delete").click();
    await expect(page.getByTestId("chat-list-item")).toHaveCount(0);
  }
  await page.reload();
  await ready(page);
  // On a phone too, where all that stands above it in the settings is read only then.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${satchel.origin}/ui/settings#deleted-chats`);
  await ready(page);
  await page.waitForTimeout(2_500);
  await expect(page.getByRole("heading", { name: "Recently deleted" })).toBeInViewport();
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("deleted-chats-link").click();
  const row = (title: string) => page.getByTestId("deleted-chat").filter({ hasText: title });
  await expect(page.getByTestId("deleted-chat")).toHaveCount(2);
  await expectSound(page, "deleted chats", "all");
  await row("The first").getByTestId("chat-restore").click();
  await expect(page.getByTestId("chat-list-item")).toHaveText("The first");
  await expect(page.getByTestId("deleted-chat")).toHaveCount(1);

  // For good asks first.
  await row("The second").getByRole("button", { name: "Delete for good" }).click();
  await row("The second").getByRole("button", { name: "Keep" }).click();
  await row("The second").getByRole("button", { name: "Delete for good" }).click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("deleted-chat")).toHaveCount(0);
  await expect(page.getByTestId("deleted-chats-link")).toHaveCount(0);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("deleted-chat")).toHaveCount(0);
  await page.getByTestId("chat-list-item").getByRole("link").click();
  await expect(page.getByTestId("message-user")).toContainText(["The first"]);
});

test("the last letters of a draft are kept by who leaves at once, and who closes the tab is asked", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.getByTestId("chat-input").fill("A chat");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toHaveCount(1);
  const chat = page.url();
  // Typed twice and left, all before the first could be stored.
  await page.getByTestId("chat-input").evaluate((input) => {
    for (const text of ["dra", "draft"]) {
      (input as HTMLTextAreaElement).value = text;
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
    document.querySelector<HTMLElement>('[data-testid="new-chat"]')!.click();
  });
  await expect(page).toHaveURL(/\/ui\/chat$/);
  await page.goto(chat);
  await ready(page);
  await expect(page.getByTestId("chat-input")).toHaveValue("draft");

  // The store is busy: whoever leaves now would lose what was typed.
  await page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const drafts = database.transaction("drafts", "readwrite").objectStore("drafts");
    const again = () => {
      if (!(window as any).free) drafts.count().onsuccess = again;
    };
    again();
  });
  await page.getByTestId("chat-input").press("End");
  await page.keyboard.type(" and more");
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await page.evaluate(() => ((window as any).free = true));
  await expect.poll(() => drafts(page)).toEqual(["draft and more"]);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("chat-input")).toHaveValue("draft and more");
});

test("files that go into the workspace alone write no draft", async ({ page, satchel }) => {
  await page.addInitScript(() => {
    const begin = IDBDatabase.prototype.transaction;
    (window as any).written = 0;
    IDBDatabase.prototype.transaction = function (this: IDBDatabase, stores, mode, options) {
      if (mode === "readwrite" && [stores].flat().includes("drafts")) (window as any).written += 1;
      return begin.call(this, stores, mode, options);
    };
  });
  await page.goto(satchel.origin);
  await ready(page);
  for (const name of ["a.txt", "b.txt"]) {
    await page.getByTestId("workspace-upload-input").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from("a") });
    await expect(page.getByTestId(`workspace-file-${name}`)).toBeVisible();
  }
  expect(await page.evaluate(() => (window as any).written)).toBe(0);
  await page.getByTestId("chat-input").fill("Now something is typed");
  await expect.poll(() => page.evaluate(() => (window as any).written)).toBeGreaterThan(0);
});

for (const width of [390, 1440]) {
  test(`a long chat opens at its newest message, and a branch is switched in place, ${width} px wide`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 700 });
    await page.goto(satchel.origin);
    await ready(page);
    const messages = page.getByTestId("message-user");
    const say = async (words: string, count: number) => {
      await page.getByTestId("chat-input").fill(words);
      await page.getByTestId("send-button").click();
      await expect(messages).toHaveCount(count);
    };
    for (let at = 1; at <= 8; at += 1) await say(`Message ${at}\n${"a line\n".repeat(8)}its end ${at}`, at);
    await expect(messages.last().getByText("its end 8")).toBeInViewport();
    await page.reload();
    await ready(page);
    await expect(messages.last().getByText("its end 8")).toBeInViewport();

    // What is said is in view, wherever the user was.
    await page.locator("#messages").evaluate((all) => all.scrollTo(0, 0));
    await expect(messages.first()).toBeInViewport();
    await say("Said from the top", 9);
    await expect(messages.last()).toBeInViewport();

    // The other branch is shown at the same place: the buttons stay under the pointer.
    await messages.nth(4).getByTestId("message-edit").click();
    await page.getByTestId("message-edit-text").fill(`Another way\n${"a line\n".repeat(8)}its end`);
    await page.getByTestId("message-edit-save").click();
    await expect(messages).toHaveCount(5);
    const count = page.getByTestId("branch-count");
    await expect(count).toBeInViewport();
    const before = await count.boundingBox();
    await page.getByTestId("branch-prev").click();
    await expect(messages).toHaveCount(9);
    await expect(count).toHaveText("1 / 2");
    const after = await count.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(40);
    await expect(messages.last()).not.toBeInViewport();
  });
}
