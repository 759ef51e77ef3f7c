// The editor: it saves by itself, never overwrites what was changed elsewhere, and loses nothing that was typed.
import { back, begin, code, file, hold, letGo, text, type, upload, write } from "./files";
import { expect, ready, setting, test } from "./harness";

test("two tabs on one file: nothing is overwritten, and both versions can be kept", async ({ page, profile, satchel }) => {
  await begin(page, satchel.origin, "Two tabs");
  await upload(page, text("shared.txt", "first"));
  await expect(file(page, "shared.txt")).toBeVisible();
  const other = await profile.context!.newPage();
  await other.goto(page.url());
  await ready(other);
  // What one tab saves, the other shows, as long as nothing is typed there.
  await file(other, "shared.txt").click();
  await expect(code(other)).toHaveText("first");
  await write(page, "shared.txt", "from the first tab");
  await expect(code(other)).toHaveText("from the first tab");

  // Both type at once: one of them is told.
  await hold(other);
  await code(page).fill("mine");
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saving");
  await code(other).fill("theirs");
  await expect(other.getByTestId("save-state")).toHaveAttribute("data-state", "saving");
  await letGo(other);
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saved");
  await expect(other.getByTestId("edit-conflict")).toBeVisible();
  await other.getByTestId("conflict-keep-both").click();
  // The other version is a file of its own, which is shown.
  await expect(other.getByRole("heading", { name: "shared 2.txt" })).toBeVisible();
  await expect(code(other)).toHaveText("theirs");
  await back(other);
  await file(other, "shared.txt").click();
  await expect(code(other)).toHaveText("mine");
  await back(page);
  await expect(file(page, "shared 2.txt")).toBeVisible();
});

/** R319: whoever leaves the editor while it saves loses nothing, though the save fails. */
test("what could not be saved is kept on the device, offered again, and put back", async ({ page, profile, satchel }) => {
  await begin(page, satchel.origin, "Kept");
  const chat = page.url();
  await upload(page, text("notes.txt", "first"));
  await expect(file(page, "notes.txt")).toBeVisible();
  const settings = await profile.context!.newPage();
  await settings.goto(`${satchel.origin}/ui/settings`);
  await ready(settings);
  await setting(settings, "limit_file_bytes", "0.001");

  await file(page, "notes.txt").click();
  await hold(page);
  const typed = "typed ".repeat(200);
  await code(page).fill(typed);
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saving");
  await back(page);
  await letGo(page);
  await expect(page.getByTestId("notice").filter({ hasText: "What you typed in \u201cnotes.txt\u201d was not saved" })).toContainText("kept on this device");
  await expect(page.getByTestId("kept-text")).toContainText("notes.txt");

  // It waits, also after a reload; discarding it can be taken back.
  await page.goto(chat);
  await ready(page);
  await page.getByTestId("kept-text-discard").click();
  await expect(page.getByTestId("kept-text")).toHaveCount(0);
  await page.getByTestId("notice").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("kept-text")).toHaveCount(1);
  await file(page, "notes.txt").click();
  await expect(code(page)).toHaveText("first");

  await setting(settings, "limit_file_bytes", "1");
  await page.getByTestId("kept-text-put-back").click();
  await expect(code(page)).toHaveText(typed.trim());
  await expect(page.getByTestId("kept-text")).toHaveCount(0);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("kept-text")).toHaveCount(0);
  await file(page, "notes.txt").click();
  await expect(code(page)).toHaveText(typed.trim());
});

test("a file that is deleted elsewhere while it is edited is never said to be saved", async ({ page, profile, satchel }) => {
  await begin(page, satchel.origin, "Deleted elsewhere");
  await upload(page, text("shared.txt", "first"));
  await expect(file(page, "shared.txt")).toBeVisible();
  const other = await profile.context!.newPage();
  await other.goto(page.url());
  await ready(other);
  const conflict = async () => {
    await file(page, "shared.txt").click();
    await expect(code(page)).toBeVisible();
    await file(other, "shared.txt").click();
    await hold(other);
    await other.getByTestId("workspace-delete").click();
    await code(page).fill("mine");
    await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saving");
    await letGo(other);
    await expect(page.getByTestId("edit-conflict")).toContainText("deleted elsewhere");
    await expect(page.getByTestId("save-state")).toHaveText("Deleted elsewhere");
  };
  await conflict();
  await page.getByRole("button", { name: "Keep my version" }).click();
  await expect(page.getByTestId("edit-conflict")).toHaveCount(0);
  await expect(code(page)).toHaveText("mine");
  await back(page);
  await expect(file(other, "shared.txt")).toBeVisible();

  await conflict();
  await page.getByRole("button", { name: "Discard my changes" }).click();
  await expect(page.getByTestId("save-state")).toHaveCount(0);
  await expect(page.getByTestId("workspace-panel")).toHaveAttribute("data-view", "files");
  // What was discarded can be had again.
  await page.getByTestId("notice").filter({ hasText: "was discarded" }).getByRole("button", { name: "Undo" }).click();
  await page.getByTestId("kept-text-put-back").click();
  await expect(code(page)).toHaveText("mine");
});

/** R229 */
test("a text of five megabytes is opened in the editor, and edited", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "Large");
  const line = "a line of a long log, with some words in it\n";
  await upload(page, text("long.log", line.repeat(Math.ceil(5_000_000 / line.length))));
  await file(page, "long.log").click();
  await expect(code(page)).toContainText("a line of a long log");
  await expect(page.getByRole("group", { name: "Show as" }).getByRole("button", { name: "Text" })).toHaveAttribute("aria-pressed", "true");
  await code(page).press("Control+Home");
  await page.keyboard.type("first ");
  await expect(page.getByTestId("save-state")).not.toHaveAttribute("data-state", "saved");
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saved");
  await page.reload();
  await ready(page);
  await file(page, "long.log").click();
  await expect(code(page)).toContainText("first a line of a long log");
});

/** R229 */
test("line breaks that were not touched stay as they were, one kind or mixed", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "Breaks");
  const chat = page.url().split("/").pop();
  const stored = (path: string) =>
    page.evaluate(async ([chat, path]) => (await fetch(`/local/chats/${chat}/workspace/files/${path}`)).text(), [chat, path]);
  await upload(page, text("windows.txt", "one\r\ntwo\r\n"), text("mixed.txt", "one\r\ntwo\nthree\r\nfour\n"));
  for (const [path, expected] of [
    ["windows.txt", "one!\r\nnew\r\ntwo\r\n"],
    ["mixed.txt", "one!\r\nnew\r\ntwo\nthree\r\nfour\n"],
  ]) {
    await file(page, path).click();
    await code(page).press("Control+Home");
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.keyboard.type("new");
    await page.keyboard.press("Control+s");
    await expect.poll(() => stored(path)).toBe(expected);
    await back(page);
  }
});
