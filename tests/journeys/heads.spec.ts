// Several states of one message's files, as devices leave them that changed the files apart (C25).
import type { Page } from "@playwright/test";

import { expect, ready, test } from "./harness";

const file = (page: Page, path: string) => page.getByTestId(`workspace-file-${path}`);
const upload = (page: Page, name: string) =>
  page.getByTestId("workspace-upload-input").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(name) });

/** Gives every state of the last message a head again, as if another device had never seen the later one. */
const splitHeads = (page: Page) =>
  page.evaluate(async () => {
    type Row = { fields: string; stamps: string; by_chat_id: string; deleted?: string };
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const transaction = database.transaction(["node_heads", "workspace_manifests"], "readwrite");
    const heads = transaction.objectStore("node_heads");
    const [live, states] = await Promise.all(
      [heads.getAll(), transaction.objectStore("workspace_manifests").getAllKeys()].map(
        (asking: IDBRequest) => new Promise<unknown[]>((resolve) => (asking.onsuccess = () => resolve(asking.result))),
      ),
    );
    const head = (live as Row[]).find((row) => !row.deleted) as Row;
    const fields = JSON.parse(head.fields);
    for (const id of states as string[]) {
      const row = { ...head, fields: JSON.stringify({ ...fields, manifest_id: id }) };
      heads.put(row, [fields.chat_id, fields.message_id, id]);
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
    return states.length;
  });

for (const width of [390, 1440]) {
  test(`of several states one is chosen, and can be chosen again, ${width} px wide`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(satchel.origin);
    await ready(page);
    await page.getByTestId("chat-input").fill("Two devices");
    await page.getByTestId("send-button").click();
    await expect(page.getByTestId("message-user")).toHaveCount(1);
    if (width < 640) await page.locator(".tab-bar").getByText("Files").click();
    await upload(page, "first.txt");
    await expect(file(page, "first.txt")).toBeVisible();
    await upload(page, "second.txt");
    await expect(file(page, "second.txt")).toBeVisible();
    expect(await splitHeads(page)).toBe(2);
    await page.reload();
    await ready(page);
    if (width < 640) await page.locator(".tab-bar").getByText("Files").click();

    const rivals = page.getByTestId("workspace-rival");
    await expect(rivals).toHaveCount(2);
    await expect(rivals.nth(0)).toContainText("Shown below");
    await expect(rivals.nth(1)).toContainText("Differs in second.txt");
    await expect(file(page, "second.txt")).toBeVisible();
    await rivals.nth(1).getByTestId("workspace-rival-choose").click();
    await expect(rivals).toHaveCount(0);
    await expect(file(page, "second.txt")).toHaveCount(0);
    await expect(file(page, "first.txt")).toBeVisible();

    await page.getByTestId("notice").getByRole("button", { name: "Choose again" }).click();
    await expect(rivals).toHaveCount(2);
    await expect(file(page, "second.txt")).toBeVisible();
    await rivals.nth(0).getByTestId("workspace-rival-choose").click();
    await expect(rivals).toHaveCount(0);
    await page.reload();
    await ready(page);
    if (width < 640) await page.locator(".tab-bar").getByText("Files").click();
    await expect(file(page, "second.txt")).toBeVisible();
    await expect(rivals).toHaveCount(0);
  });
}
