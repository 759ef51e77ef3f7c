// F10, in the browser: one byte of each of fifty stored blobs is another than it was.
import { files, zip } from "../journeys/bundle";
import { expect, ready, test } from "../journeys/harness";
import { ask, begin, expectClean, file, report, sha256, text, upload } from "./ground";
import type { Page } from "@playwright/test";

const COUNT = 50;

/** Turns one bit of a stored blob. */
const flip = (page: Page, names: string[]) =>
  page.evaluate(async (names) => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const transaction = database.transaction("blobs", "readwrite");
    const store = transaction.objectStore("blobs");
    for (const [at, name] of names.entries()) {
      const getting = store.get(name);
      getting.onsuccess = () => {
        const bytes = getting.result as Uint8Array;
        bytes[(at * 7) % bytes.length] ^= 1;
        store.put(bytes, name);
      };
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  }, names);

test("F10 flip", async ({ page, satchel }) => {
  const chat = await begin(page, satchel.origin, "Bits");
  const contents = Array.from({ length: COUNT }, (_, number) => text(`file-${number}.txt`, `secret words of file ${number} `.repeat(20)));
  await upload(page, contents);
  await expect(file(page, `file-${COUNT - 1}.txt`)).toBeVisible();
  await expectClean(page);
  await flip(page, contents.map(({ buffer }) => sha256(buffer)));
  await page.reload();
  await ready(page);

  // A script in the page.
  for (const { name } of contents) {
    const { status, body } = await ask(page, "GET", `/local/chats/${chat}/workspace/files/${name}`);
    expect([status, body.error?.code, body.error?.path], name).toEqual([500, "damaged", name]);
  }
  // A person: looking at it, saving it, saving all.
  for (const { name } of contents.slice(0, 5)) {
    await file(page, name).click();
    await expect(page.locator(".workspace-problem")).toContainText("damaged");
    await expect(page.getByText("words of file")).toHaveCount(0);
    await page.getByTestId("workspace-back").click();
  }
  let downloads = 0;
  page.on("download", () => (downloads += 1));
  await page.getByTestId("workspace-download-all").click();
  await expect(page.getByTestId("notice").filter({ hasText: "damaged" })).toBeVisible();
  expect(downloads, "nothing damaged is given out").toBe(0);
  // The check names every one.
  const { body } = await ask(page, "POST", "/local/check");
  const found = body.broken.filter(({ kind }: { kind: string }) => kind === "broken_blob").map(({ sha256 }: { sha256: string }) => sha256);
  expect(found.sort()).toEqual(contents.map(({ buffer }) => sha256(buffer)).sort());

  // Putting the files there once more heals them, though nothing changes by their names.
  await upload(page, contents);
  await expect(page.getByTestId("notice").filter({ hasText: `${COUNT} files stored` })).toBeVisible();
  await expectClean(page);
  const healed = await ask(page, "GET", `/local/chats/${chat}/workspace/files/file-7.txt`);
  expect([healed.status, healed.body]).toEqual([200, contents[7].buffer.toString()]);

  // A file of a toolset.
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const bring = async () => {
    await page.getByTestId("toolset-import-input").setInputFiles({ name: "bundle.zip", mimeType: "application/zip", buffer: zip(files()) });
    await page.getByTestId("import-confirm").click();
    await expect(page.getByTestId("import-dialog")).toHaveCount(0);
  };
  await bring();
  const { body: toolset } = await ask(page, "GET", "/local/toolsets/my-toolset");
  const module = toolset.files.find(({ path }: { path: string }) => path === "tools/analyze.py");
  await flip(page, [module.sha256]);
  const exported = await ask(page, "GET", "/local/toolsets/my-toolset/export");
  expect([exported.status, exported.body.error?.code]).toEqual([500, "damaged"]);
  await page.getByTestId("toolset-card-my-toolset").getByRole("link", { name: "Details" }).click();
  await page.getByText("Files", { exact: false }).locator("visible=true").first().click();
  await page.getByRole("button", { name: "tools/analyze.py" }).click();
  await expect(page.getByText("damaged").first()).toBeVisible();
  await expect(page.getByTestId("toolset-file-text")).toHaveCount(0);
  const again = await page.evaluate(
    async (bytes) => (await fetch("/local/toolsets/import", { method: "POST", body: Uint8Array.from(bytes) })).status,
    [...zip(files())],
  );
  expect(again, "the same bundle once more heals it").toBe(200);
  await expectClean(page);
  await report("flip", `${COUNT} damaged files were noticed by API, view, download and check, none was served, and all were healed by putting them there again`);
});
