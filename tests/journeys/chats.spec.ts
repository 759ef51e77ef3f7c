// Chats are trees: what is said stays, an edit is a branch beside it, and nothing deleted is gone at once.
import { expect, ready, test } from "./harness";

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
  await expect(page.getByTestId("message-user")).toContainText("put better");
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
  await expect(page.getByTestId("message-user")).toContainText("Something to keep");
});
