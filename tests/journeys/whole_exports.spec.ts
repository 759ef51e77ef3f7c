// Whole exports: a chat and everything as a file, the same elsewhere to the last byte; and the verification of what is here.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

import type { Page } from "@playwright/test";

import { damage, expect, Profile, ready, test } from "./harness";
import { execute, install, toolset, workspace } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 240_000 });

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

const SOURCE = `
def note(workspace, text):
    (workspace / "notes").mkdir(exist_ok=True)
    (workspace / "notes" / "note.txt").write_text(text)
    print("noted")
    return {"length": len(text)}
`;

/** A chat with two branches, a file of the user's, and a call of a Python tool; its id. */
async function begin(page: Page, address: string): Promise<string> {
  await page.goto(address);
  await ready(page);
  await install(page, toolset("writer", [{ name: "note", source: SOURCE }]));
  await page.getByTestId("chat-input").fill("What was said first");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toHaveCount(1);
  const chat = page.url().split("/").at(-1) ?? "";
  await page.getByTestId("message-edit").first().click();
  await page.getByTestId("message-edit-text").fill("What was said better");
  await page.getByTestId("message-edit-save").click();
  await expect(page.getByTestId("branch-count")).toHaveText("2 / 2");
  await page.evaluate((chat) => fetch(`/local/chats/${chat}/workspace/files/mine.txt`, { method: "PUT", body: "mine" }), chat);
  const ran = await execute(page, "writer", "note", { chat_id: chat, params: { text: "hello" } });
  expect(ran).toMatchObject({ status: 200, result: { length: 5 } });
  return chat;
}

/** What a press of a button saves. */
async function saved(page: Page, testId: string): Promise<Buffer> {
  const waiting = page.waitForEvent("download");
  await page.getByTestId(testId).click();
  return readFile(await (await waiting).path());
}

/** Exports the chat that is open. */
async function exportChat(page: Page): Promise<Buffer> {
  await page.getByTestId("chat-whole").click();
  const bytes = await saved(page, "export-chat");
  await expect(page.getByTestId("export-done")).toContainText("Saved");
  await page.getByTestId("whole-chat-close").click();
  return bytes;
}

async function openStorage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/ui/settings#storage`);
  await ready(page);
}

async function importFile(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page.getByTestId("import-all-input").setInputFiles({ name, mimeType: "application/zip", buffer });
}

/** Imports a file as its user agrees to it. */
async function importWhole(page: Page, origin: string, buffer: Buffer): Promise<void> {
  await openStorage(page, origin);
  await importFile(page, "export.zip", buffer);
  await expect(page.getByTestId("import-all-preview")).toContainText("The writer toolset 1.0.0");
  await page.getByTestId("import-all-confirm").click();
  await expect(page.getByTestId("import-all-done")).toBeVisible();
}

/** The entries of a ZIP by path. */
function entries(zip: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, packed, header] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
    const [name, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    const from = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const content = zip.subarray(from, from + packed);
    found.set(zip.toString("utf8", at + 46, at + 46 + name), method === 0 ? content : inflateRawSync(content));
    at += 46 + name + extra + comment;
  }
  return found;
}

/** R310, I8 */
test("a chat is exported, imported in another browser, and exported there to the same bytes", async ({ page, satchel, folder }) => {
  // With the address comes the token, which this device keeps sealed.
  const chat = await begin(page, satchel.address);
  await page.goto(`${satchel.origin}/ui/chat/${chat}`);
  await ready(page);
  const bytes = await exportChat(page);

  const files = entries(bytes);
  expect([...files.keys()]).toEqual([...files.keys()].sort());
  expect(files.has("satchel-export.json") && files.has("CHECKSUMS")).toBe(true);
  expect(files.has("toolsets/writer-v1.0.0.zip")).toBe(true);
  for (const line of String(files.get("CHECKSUMS")).trim().split("\n")) {
    const [sum, path] = line.split("  ");
    expect(createHash("sha256").update(files.get(path)!).digest("hex")).toBe(sum);
  }
  const token = satchel.address.split("#token=")[1];
  for (const content of files.values()) expect(content.includes(token)).toBe(false);

  const other = new Profile(join(folder, "other"));
  try {
    const there = await other.open({ acceptDownloads: true });
    await importWhole(there, satchel.origin, bytes);
    await there.goto(`${satchel.origin}/ui/chat/${chat}`);
    await ready(there);
    await expect(there.getByTestId("branch-count")).toHaveText("2 / 2");
    await expect(there.getByTestId("message-user")).toContainText(["What was said better"]);
    await there.getByTestId("branch-prev").click();
    await expect(there.getByTestId("message-user")).toContainText(["What was said first"]);
    // Files follow the branch.
    expect(await workspace(there, chat)).toEqual({});
    await there.getByTestId("branch-next").click();
    await expect(there.getByTestId("message-user")).toContainText(["What was said better"]);
    expect(await workspace(there, chat)).toEqual(await workspace(page, chat));
    expect((await exportChat(there)).equals(bytes)).toBe(true);
    // Its tools work there.
    const ran = await execute(there, "writer", "note", { chat_id: chat, params: { text: "there" } });
    expect(ran).toMatchObject({ status: 200, result: { length: 5 } });
  } finally {
    await other.close();
  }
});

/** R310, R319 */
test("everything is exported and imported elsewhere, and what is no export is refused by its entry", async ({ page, satchel, folder }) => {
  const chat = await begin(page, satchel.origin);
  await openStorage(page, satchel.origin);
  // By its label, which is waited for until it stands still: the page above it grows while the storage is looked through.
  await page.locator(".choice-option", { hasText: "60 days" }).click();
  await expect(page.getByRole("radio", { name: "60 days" })).toBeChecked();
  const bytes = await saved(page, "export-all");
  await expect(page.getByTestId("export-done")).toContainText("chats: 1, toolsets: 1");

  // Where it was made it changes nothing.
  await importWhole(page, satchel.origin, bytes);
  await expect(page.getByTestId("import-all-done")).toContainText("Nothing was changed.");

  const other = new Profile(join(folder, "other"));
  try {
    const there = await other.open({ acceptDownloads: true });
    await openStorage(there, satchel.origin);
    const cut = Buffer.from(bytes);
    const at = cut.indexOf("rows/messages.ndjson") + 60;
    cut[at] ^= 0xff;
    await importFile(there, "damaged.zip", cut);
    await expect(there.getByTestId("import-all-error")).toContainText("rows/messages.ndjson");
    await importFile(there, "other.zip", toolset("writer", [{ name: "note", source: SOURCE }]));
    await expect(there.getByTestId("import-all-error")).toContainText("it has no satchel-export.json");

    await importFile(there, "export.zip", bytes);
    await expect(there.getByTestId("import-all-chats")).toContainText("What was said first");
    await there.getByTestId("import-all-cancel").click();
    await expect(there.getByTestId("import-all-preview")).toHaveCount(0);
    await importWhole(there, satchel.origin, bytes);
    await expect(there.getByTestId("import-all-done")).toContainText("Imported.");
    await there.reload();
    await ready(there);
    await expect(there.getByRole("radio", { name: "60 days" })).toBeChecked();
    expect((await saved(there, "export-all")).equals(bytes)).toBe(true);
    expect(await workspace(there, chat)).toEqual({ "mine.txt": "mine", "notes/note.txt": "hello" });

    // Where toolsets are imported it is recognised.
    await there.goto(`${satchel.origin}/ui/toolsets`);
    await ready(there);
    await there.getByTestId("toolset-import-input").setInputFiles({ name: "export.zip", mimeType: "application/zip", buffer: bytes });
    await expect(there.getByTestId("import-error")).toContainText("import it in Settings, under Storage");
  } finally {
    await other.close();
  }
});

/** R310, R311 */
test("verifying runs a Python call again and finds it the same, and finds a damaged file", async ({ page, satchel }) => {
  const chat = await begin(page, satchel.origin);
  await page.goto(`${satchel.origin}/ui/chat/${chat}`);
  await ready(page);
  await page.getByTestId("chat-whole").click();
  await page.getByTestId("verify-chat").click();
  await expect(page.getByTestId("verify-verdict")).toHaveAttribute("data-kind", "good");
  await page.getByTestId("verify-rerun").click();
  await expect(page.getByTestId("verify-call")).toHaveText(/writer:note.*SameSame files and same result\./, { timeout: 120_000 });
  const report = String(await saved(page, "verify-save"));
  expect(report).toContain("Everything is intact.");
  expect(report).toContain("Same files and same result.");
  // Nothing of the second run is recorded.
  const recorded = await page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).tool_calls.length, chat);
  expect(recorded).toBe(1);

  await damage(page, sha256("mine"));
  await openStorage(page, satchel.origin);
  await page.getByTestId("verify-all").click();
  await expect(page.getByTestId("verify-verdict")).toHaveAttribute("data-kind", "bad");
  await expect(page.getByTestId("verify-findings")).toContainText(sha256("mine"));
});
