// The workspace: files come in, are edited, follow the branches of their chat, and nothing is lost on the way.
import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { expectSound } from "./axe";
import { back, begin, code, file, text, type, upload, write } from "./files";
import { expect, kept, ready, test } from "./harness";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Says something more. */
async function say(page: Page, words: string): Promise<void> {
  const before = await page.getByTestId("message-user").count();
  await page.getByTestId("chat-input").fill(words);
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toHaveCount(before + 1);
}

/** How many rows a store of the database has. */
const count = (page: Page, store: string) =>
  page.evaluate(async (store) => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const asking = database.transaction(store).objectStore(store).count();
    const rows = await new Promise<number>((resolve) => (asking.onsuccess = () => resolve(asking.result)));
    database.close();
    return rows;
  }, store);

/** The manifests that were not deleted, as [source, …]. */
const sources = (page: Page) =>
  page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const asking = database.transaction("workspace_manifests").objectStore("workspace_manifests").getAll();
    const rows = await new Promise<{ fields?: string }[]>((resolve) => (asking.onsuccess = () => resolve(asking.result)));
    database.close();
    return rows.map((row) => JSON.parse(row.fields ?? "{}").source).filter(Boolean);
  });

test("files come by the picker, by drop and by paste, and equal content is stored once", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  // Before the first message: a chat begins with its files.
  await upload(page, text("notes.md", "# Notes\n"), text("copy.md", "# Notes\n"));
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  await expect(file(page, "notes.md")).toBeVisible();
  await expect(file(page, "copy.md")).toBeVisible();
  // One content and one folder.
  expect(await count(page, "blobs")).toBe(2);

  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["a,b\n1,2\n"], "table.csv", { type: "text/csv" }));
    return transfer;
  });
  await page.getByTestId("workspace-panel").dispatchEvent("dragover", { dataTransfer: dropped });
  await page.getByTestId("workspace-panel").dispatchEvent("drop", { dataTransfer: dropped });
  await expect(file(page, "table.csv")).toBeVisible();

  // The same name twice: what is pasted never takes the place of anything.
  for (const name of ["image.png", "image 2.png"]) {
    await page.evaluate((bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], "image.png", { type: "image/png" }));
      window.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true }));
    }, [...PIXEL]);
    await expect(file(page, name)).toBeVisible();
  }
  await page.getByTestId("workspace-tree").evaluate((tree) => {
    const transfer = new DataTransfer();
    transfer.setData("text/plain", "from elsewhere");
    tree.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
  });
  await expect(code(page)).toContainText("from elsewhere");
  await back(page);
  await expect(file(page, "pasted.txt")).toBeVisible();
  expect(await sources(page)).toEqual(["user_upload", "user_upload", "user_upload", "user_upload", "edit"]);
});

/** Sends what stands in the composer and brings a file, in one moment: the message is not kept yet when the file comes. */
async function sendAndUpload(page: Page, name: string): Promise<void> {
  await page.evaluate((name) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["quick"], name, { type: "text/plain" }));
    const input = document.querySelector<HTMLInputElement>("[data-testid=workspace-upload-input]");
    document.querySelector<HTMLElement>("[data-testid=send-button]")?.click();
    if (input) input.files = transfer.files;
    input?.dispatchEvent(new Event("change", { bubbles: true }));
  }, name);
}

/** C25 */
test("files that come while a chat begins, or while a message is sent, are there after it", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await expect(page.getByTestId("workspace-upload")).toBeVisible();
  await page.getByTestId("chat-input").fill("Sent, then uploaded");
  await sendAndUpload(page, "quick.txt");
  await expect(page.getByTestId("message-user")).toHaveText([/Sent, then uploaded/]);
  await expect(file(page, "quick.txt")).toBeVisible();
  await expect(page.getByTestId("chat-list-item")).toHaveCount(1);
  await page.getByTestId("chat-input").fill("And once more");
  await sendAndUpload(page, "again.txt");
  await expect(page.getByTestId("message-user")).toHaveText([/Sent, then uploaded/, /And once more/]);
  await expect(file(page, "again.txt")).toBeVisible();
});

test("a path that is not fine is refused with its reason", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "Paths");
  await upload(page, text("README.md", "read me"));
  await expect(file(page, "README.md")).toBeVisible();
  await page.getByTestId("workspace-new-file").click();
  const refused = async (path: string, reason: string | RegExp) => {
    await page.getByTestId("workspace-path-input").fill(path);
    await page.getByTestId("workspace-path-submit").click();
    await expect(page.getByTestId("workspace-path-refusal")).toContainText(reason);
  };
  await refused("", "must not be empty");
  await refused("/etc/passwd", "is an absolute path");
  await refused("C:/windows", "is an absolute path");
  await refused("../out.txt", "may lead out of the workspace");
  await refused("a/../../out.txt", "may lead out of the workspace");
  await refused("a//b", "has an empty name in it");
  await refused("a\\b", "contains a backslash");
  await refused("x".repeat(241), "has 241 characters; use at most 240");
  await refused(Array(17).fill("d").join("/"), "17 names deep; use at most 16");
  await refused("readme.md", "differ only in upper and lower case");
  await refused("README.md", "already");
  await refused("README.md/inside.txt", "would be a file and a folder at once");
  await page.keyboard.press("Escape");
  await page.getByTestId("workspace-new-folder").click();
  await refused("../elsewhere", "may lead out of the workspace");
  await refused("Readme.MD", "differ only in upper and lower case");
  await page.getByTestId("workspace-path-input").fill("src/parts");
  await page.getByTestId("workspace-path-submit").click();
  await expect(page.getByTestId("workspace-folder-src/parts")).toBeVisible();
  // An empty folder is this device's own affair, and stays.
  await page.reload();
  await expect(page.getByTestId("workspace-folder-src/parts")).toBeVisible();
  expect(await sources(page)).toEqual(["user_upload"]);
});

test("an edit saves by itself, is one manifest, and is there after a reload", async ({ page, satchel }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await begin(page, satchel.origin, "Write something");
  await page.getByTestId("workspace-new-file").click();
  await page.getByTestId("workspace-path-input").fill("src/main.py");
  await page.getByTestId("workspace-path-submit").click();
  await type(page, "print('one')");
  await code(page).press("End");
  await page.keyboard.type("\nprint('two')");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saved");
  await page.keyboard.type("\nprint('three')");
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saved");
  // One for making the file, one for the whole session.
  expect(await sources(page)).toEqual(["edit", "edit"]);
  await page.reload();
  await ready(page);
  await file(page, "src/main.py").click();
  await expect(code(page)).toContainText("print('three')");
  // The language was loaded, and the page's policy had nothing against the editor's styles.
  await expect(code(page).locator("span").filter({ hasText: "'three'" })).toHaveCSS("color", "rgb(43, 107, 63)");
  expect(errors).toEqual([]);
});

test("files follow the branch, and an edit after the last message survives switching away and back", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "First version");
  await upload(page, text("plan.txt", "start"));
  await expect(page.getByTestId("workspace-changed-plan.txt")).toContainText("added");
  await say(page, "Go on");
  // Nothing has changed since the message before.
  await expect(page.getByTestId("workspace-changed-plan.txt")).toHaveCount(0);
  await write(page, "plan.txt", "after the last message");
  await back(page);
  await expect(page.getByTestId("workspace-changed-plan.txt")).toContainText("changed");

  // Another second message: it begins with the files before the first one of its kind, and with a state of its own.
  await page.getByTestId("message-edit").last().click();
  await page.getByTestId("message-edit-text").fill("Go another way");
  await page.getByTestId("message-edit-save").click();
  await expect(page.getByTestId("branch-count")).toHaveText("2 / 2");
  await file(page, "plan.txt").click();
  await expect(code(page)).toContainText("start");
  await type(page, "the other way");
  expect((await sources(page)).filter((source) => source === "branch")).toHaveLength(1);

  // With the file open: it shows what it is on each branch.
  await page.getByTestId("branch-prev").click();
  await expect(code(page)).toHaveText("after the last message");
  // What was typed and not yet saved goes to the branch it was typed on.
  await code(page).fill("in the last moment");
  await page.getByTestId("branch-next").click();
  await expect(code(page)).toHaveText("the other way");
  await page.getByTestId("branch-prev").click();
  await expect(code(page)).toHaveText("in the last moment");
  await page.reload();
  await ready(page);
  await file(page, "plan.txt").click();
  await expect(code(page)).toHaveText("in the last moment");

  // A new message takes what was typed right before it along.
  await code(page).fill("taken along");
  await say(page, "And on");
  await expect(code(page)).toHaveText("taken along");
  await page.reload();
  await ready(page);
  await file(page, "plan.txt").click();
  await expect(code(page)).toHaveText("taken along");
});

test("the tree is walked, renamed and deleted by keyboard, and everything can be taken back", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "Keys");
  await upload(page, text("a.txt", "a"), text("b.txt", "b"));
  await expect(file(page, "a.txt")).toBeVisible();
  const tree = page.getByTestId("workspace-tree");
  await tree.focus();
  await page.keyboard.press("ArrowDown");
  await expect(file(page, "a.txt")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("F2");
  await expect(page.getByTestId("workspace-path-input")).toBeFocused();
  await page.getByTestId("workspace-path-input").fill("folder/c.txt");
  await page.keyboard.press("Enter");
  await expect(file(page, "folder/c.txt")).toBeVisible();
  await expect(file(page, "folder/c.txt")).toHaveAttribute("aria-level", "2");
  await expect(file(page, "a.txt")).toHaveCount(0);
  await expect(page.getByTestId("workspace-changed-folder/c.txt")).toContainText("added");

  await tree.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByTestId("workspace-folder-folder")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowLeft");
  await expect(file(page, "folder/c.txt")).toHaveCount(0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(code(page)).toHaveText("a");
  await page.keyboard.press("Escape");
  await expect(tree).toBeFocused();

  await page.getByTestId("workspace-folder-folder").click();
  await tree.focus();
  await page.keyboard.press("Delete");
  await expect(page.getByTestId("workspace-folder-folder")).toHaveCount(0);
  await page.getByTestId("notice").filter({ hasText: "was deleted" }).getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("workspace-folder-folder")).toBeVisible();

  // A file that is replaced by an upload comes back too.
  await upload(page, text("b.txt", "another b"));
  await page.getByTestId("notice").filter({ hasText: "in place of" }).getByRole("button", { name: "Undo" }).click();
  await file(page, "b.txt").click();
  await expect(code(page)).toHaveText("b");
});

test("a deleted file is marked, shown as it was, and restored", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "Delete");
  await upload(page, text("gone.txt", "still known"), text("stays.txt", "x"));
  await say(page, "Next");
  await expect(file(page, "gone.txt")).toBeVisible();
  await file(page, "gone.txt").click();
  await page.getByTestId("workspace-delete").click();
  await expect(page.getByTestId("workspace-changed-gone.txt")).toContainText("deleted");
  await file(page, "gone.txt").click();
  await expect(code(page)).toHaveText("still known");
  await page.getByTestId("workspace-restore").click();
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saved");
  await back(page);
  await expect(page.getByTestId("workspace-changed-gone.txt")).toHaveCount(0);
});

test("a file has a history, two points of a chat can be compared, and a fork takes the files along", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "One");
  await upload(page, text("poem.txt", "roses are red\n"), text("same.txt", "same"));
  await expect(file(page, "poem.txt")).toBeVisible();
  await say(page, "Two");
  await write(page, "poem.txt", "violets are blue");
  await page.getByTestId("workspace-history").click();
  await expect(page.getByTestId("version")).toHaveCount(2);
  await expect(page.getByTestId("version").first()).toContainText("You edited it");
  await expect(page.getByTestId("version").last()).toContainText("You uploaded it");
  await expect(page.getByTestId("code-difference").locator(".cm-content")).toContainText("violets are blue");
  await expect(page.getByTestId("code-difference").locator(".cm-deletedChunk")).toContainText("roses are red");

  await back(page);
  await back(page);
  await page.getByTestId("workspace-compare").click();
  await expect(page.getByTestId("compare-file-poem.txt")).toBeVisible();
  await expect(page.getByTestId("compare-file-same.txt")).toHaveCount(0);
  await page.getByTestId("compare-from").selectOption({ label: "Before the first message" });
  await expect(page.getByTestId("compare-file-same.txt")).toContainText("added");
  await page.getByTestId("compare-to").selectOption({ label: "Before the first message" });
  await expect(page.getByTestId("compare-equal")).toBeVisible();

  // The fork at the first message has the files of that message, and is a chat of its own.
  const first = page.url();
  await page.getByTestId("message-fork").first().click();
  await expect(page).not.toHaveURL(first);
  await expect(page.getByTestId("chat-title")).toHaveValue("One (fork)");
  await expect(page.getByTestId("message-user")).toHaveCount(1);
  await file(page, "poem.txt").click();
  await expect(code(page)).toContainText("roses are red");
  await type(page, "only here");
  await page.goto(first);
  await ready(page);
  await file(page, "poem.txt").click();
  await expect(code(page)).toHaveText("violets are blue");
  await page.getByTestId("workspace-history").click();
  await page.getByTestId("version-restore").click();
  await expect(code(page)).toContainText("roses are red");
});

test("one file or all of them are downloaded, and pictures and bytes are shown", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "Show me");
  const bytes = Buffer.from([0, 1, 2, 250, 251, 252, ...Buffer.from("satchel")]);
  await upload(
    page,
    { name: "dot.png", mimeType: "image/png", buffer: PIXEL },
    { name: "data.bin", mimeType: "application/octet-stream", buffer: bytes },
    text("a.txt", "a"),
  );
  await file(page, "dot.png").click();
  await expect(page.getByTestId("picture")).toHaveJSProperty("naturalWidth", 1);
  await back(page);
  await file(page, "data.bin").click();
  await expect(page.getByTestId("hex-view")).toContainText("00000000  00 01 02 fa fb fc 73 61  74 63 68 65 6c");
  const one = page.waitForEvent("download");
  await page.getByTestId("workspace-download").click();
  const saved = await one;
  expect(saved.suggestedFilename()).toBe("data.bin");
  expect(await readFile((await saved.path())!)).toEqual(bytes);
  await back(page);
  const all = page.waitForEvent("download");
  await page.getByTestId("workspace-download-all").click();
  const archive = await all;
  expect(archive.suggestedFilename()).toBe("Show me.zip");
  const zip = await readFile((await archive.path())!);
  expect(zip.subarray(0, 2).toString()).toBe("PK");
  for (const name of ["dot.png", "data.bin", "a.txt"]) expect(zip.includes(name), name).toBe(true);
});

test("the editor opens with the server stopped, after one visit without it", async ({ page, profile, satchel }) => {
  await begin(page, satchel.origin, "Offline");
  await upload(page, text("offline.md", "# still here"));
  await expect(file(page, "offline.md")).toBeVisible();
  expect(await page.evaluate(() => "satchelEditor" in globalThis), "not loaded before it is needed").toBe(false);
  await kept(page);
  const address = page.url();
  await profile.close();
  await satchel.stop();
  const cold = await profile.open();
  await cold.goto(address);
  await ready(cold);
  await file(cold, "offline.md").click();
  await expect(code(cold)).toHaveText("# still here");
  await type(cold, "edited with nothing around");
});

test("of two thousand files as many are drawn as can be looked at, and the rest on request", async ({ page, satchel }) => {
  await begin(page, satchel.origin, "Many");
  const files = Array.from({ length: 2000 }, (_, n) => text(`file-${String(n).padStart(4, "0")}.txt`, `number ${n}`));
  await upload(page, ...files);
  await expect(page.getByTestId("workspace-totals")).toContainText("2000 files");
  await expect(page.getByRole("treeitem")).toHaveCount(401);
  await page.getByText("Show 1600 more").click();
  await expect(page.getByRole("treeitem")).toHaveCount(2000);
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
]) {
  test(`the workspace is a pane of its chat at ${width} px and passes axe, light and dark`, async ({ page, satchel }) => {
    await begin(page, satchel.origin, "Panes");
    const address = page.url();
    await page.setViewportSize({ width, height });
    if (width < 640) await page.locator(".tab-bar").getByText("Files").click();
    await upload(page, text("b.txt", "x"), text("a.md", "# A"));
    await expect(file(page, "a.md")).toBeVisible();
    expect(page.url(), "the pane is of the same chat").toBe(address);
    await expectSound(page, "the tree");
    await file(page, "a.md").click();
    await expect(code(page)).toHaveText("# A");
    await expectSound(page, "a file");
    await page.getByTestId("workspace-history").click();
    await expect(page.getByTestId("version")).toHaveCount(1);
    await expectSound(page, "its history");
    await back(page);
    await back(page);
    await page.getByTestId("workspace-compare").click();
    await expect(page.getByTestId("compare-file-a.md")).toBeVisible();
    await expectSound(page, "a comparison");
  });
}
