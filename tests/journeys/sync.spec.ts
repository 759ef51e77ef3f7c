// Sync: devices that were apart come to have the same, through a server that is killed, set back, and can read nothing.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { asFile, zip } from "./bundle";
import { agree, strangersCode, test } from "./devices";
import { damage, expect, ready, type Satchel } from "./harness";
import { begin } from "./seeded";
import { calls, execute, install, toolset, workspace } from "./toolset";

test.describe.configure({ timeout: 300_000 });

const file = (page: Page, path: string) => page.getByTestId(`workspace-file-${path}`);
const upload = (page: Page, name: string, text: string) =>
  page.getByTestId("workspace-upload-input").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
const chats = (page: Page) => page.getByTestId("chat-list-item");
const status = (page: Page) => page.getByTestId("sync-status");

/** Says something in the chat that is open, and waits until it is kept and shown: files that come then belong to it. */
async function say(page: Page, chat: string, text: string): Promise<void> {
  await page.getByTestId("chat-input").fill(text);
  await page.getByTestId("send-button").click();
  await expect.poll(() => page.evaluate(async (chat) => (await fetch(`/local/chats/${chat}`)).text(), chat)).toContain(text);
  await expect(page.getByTestId("message-user").last()).toContainText(text);
}

/** The files of a server's data folder that have one of these words in them as it is. */
async function readable(satchel: Satchel, words: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(satchel.data, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    for (const word of words) if (bytes.includes(word)) found.push(`${entry.name}: ${word}`);
  }
  return found;
}

/** R043, R263, R264, R316 */
test("two devices that were apart come to have the same, and a third joins by the code", async ({ device, satchel }) => {
  const one = await device();
  const two = await device();
  const code = await one.start();
  expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/);

  // What is there before a device joins is not lost by joining.
  await two.at("/ui/chat");
  await begin(two.page, "Marmalade of the second device");

  const wrong = code.slice(0, -1) + (code.endsWith("A") ? "B" : "A");
  const asked = () => two.profile.requests.filter((address) => address.endsWith("/api/v1/sync")).length;
  await two.type(wrong);
  await expect(two.page.getByTestId("sync-join-error")).toContainText("one character of this sync code is wrong");
  expect(asked(), "nothing is sent for a code that is none").toBe(0);
  await two.type(strangersCode());
  await expect(two.page.getByTestId("sync-join-error")).toContainText("belongs to another account");
  expect(asked(), "the server is asked once whose code it is, and told nothing else").toBe(1);
  await expect(two.page.getByTestId("sync-badge")).toHaveCount(0);

  await one.at("/ui/chat");
  const chat = await begin(one.page, "Quince of the first device");
  await upload(one.page, "pantry.txt", "apricot preserve");
  await expect(file(one.page, "pantry.txt")).toBeVisible();
  const written = await execute(one.page, "builtin", "write_file", { chat_id: chat, params: { path: "larder.md", content: "damson cheese" } });
  expect(written.status).toBe(200);
  await install(one.page, toolset("cellar", [{ name: "greet", source: "def greet(args, context):\n    return 'medlar'\n" }]));

  await two.join(code.toLowerCase().replaceAll("-", " "));
  await agree(one, two);
  await two.at(`/ui/chat/${chat}`);
  await expect(chats(two.page)).toHaveCount(2);
  await expect(two.page.getByTestId("message-user")).toContainText(["Quince of the first device"]);
  await expect(file(two.page, "pantry.txt")).toBeVisible();
  expect(await workspace(two.page, chat)).toEqual({ "larder.md": "damson cheese", "pantry.txt": "apricot preserve" });
  expect((await calls(two.page, chat)).map((call) => [call.tool_id, call.status])).toEqual([["write_file", "success"]]);

  // What comes is shown where the user is, in every tab, without their doing.
  const second = await two.profile.context!.newPage();
  await second.goto(`${satchel.origin}/ui/toolsets`);
  await expect(second.getByTestId("toolset-card-cellar")).toBeVisible();
  await one.at("/ui/toolsets");
  await one.page.getByTestId("toolset-enabled-cellar").click();
  await expect(second.getByTestId("toolset-enabled-cellar")).not.toBeChecked();
  await upload(two.page, "attic.txt", "rosehip syrup");
  await one.at(`/ui/chat/${chat}`);
  await expect(file(one.page, "attic.txt")).toBeVisible({ timeout: 60_000 });
  await second.close();
  await agree(one, two);

  // Apart: the server is away, and both go on.
  await satchel.stop("SIGKILL");
  await say(one.page, chat, "Said on the first while apart");
  await upload(one.page, "apart-one.txt", "written on the first");
  await expect(file(one.page, "apart-one.txt")).toBeVisible();
  await say(two.page, chat, "Said on the second while apart");
  await upload(two.page, "apart-two.txt", "written on the second");
  await expect(file(two.page, "apart-two.txt")).toBeVisible();
  await expect(one.page.getByTestId("sync-badge")).toHaveText("Sync waiting");
  await satchel.start();
  await agree(one, two);
  for (const { page } of [one, two]) {
    await page.reload();
    await expect(page.getByTestId("branch-count").last()).toContainText("2");
  }

  const three = await device();
  await three.join(code);
  await agree(one, two, three);
  await three.at("/ui/settings#sync");
  await expect(three.page.getByTestId("sync-device")).toHaveCount(3);
  await expect(three.page.locator('[data-testid="sync-device"][data-this="true"]')).toHaveCount(1);

  const words = ["Quince", "Marmalade", "pantry.txt", "larder.md", "apricot preserve", "damson cheese", "medlar", "cellar", "while apart", code];
  expect(await readable(satchel, ["SQLite format 3"]), "its database is looked at").not.toEqual([]);
  expect(await readable(satchel, words), "the server can read nothing of it").toEqual([]);
});

/** F5, R316 */
test("a server that is killed, and then set back to an older backup, is given everything again", async ({ device, satchel, folder }) => {
  const one = await device();
  const two = await device();
  const code = await one.start();
  await two.join(code);
  await one.at("/ui/chat");
  await begin(one.page, "Before the backup");
  await upload(one.page, "early.txt", "before the backup");
  await expect(file(one.page, "early.txt")).toBeVisible();
  await agree(one, two);
  const backup = join(folder, "older.backup");
  satchel.command("backup", backup);

  await two.at("/ui/chat");
  await begin(two.page, "After the backup");
  await upload(two.page, "late.txt", "after the backup");
  await expect(file(two.page, "late.txt")).toBeVisible();
  await agree(one, two);

  await satchel.stop("SIGKILL");
  await one.at("/ui/chat");
  await begin(one.page, "While it was killed");
  await satchel.start();
  await agree(one, two);
  await expect(chats(two.page)).toHaveCount(3);

  await satchel.stop("SIGKILL");
  satchel.command("restore", backup);
  await satchel.start();
  // Nothing is deleted for not being in the backup, and who comes now has all of it.
  const three = await device();
  await three.join(code);
  await agree(one, two, three);
  await three.at("/ui/chat");
  await expect(chats(three.page)).toHaveCount(3);
  await expect(chats(one.page)).toHaveCount(3);
});

/** F4, R311, R264 */
test("site data that was cleared comes back by joining, and what is damaged is repaired from the log", async ({ device, satchel }) => {
  const one = await device();
  const two = await device();
  const code = await one.start();
  await one.at("/ui/chat");
  const chat = await begin(one.page, "To be kept");
  await upload(one.page, "kept.txt", "a file that is kept");
  await expect(file(one.page, "kept.txt")).toBeVisible();
  await two.join(code);
  await agree(one, two);

  const before = await one.everything();
  await two.page.goto("about:blank");
  const session = await two.profile.context!.newCDPSession(two.page);
  await session.send("Storage.clearDataForOrigin", { origin: satchel.origin, storageTypes: "all" });
  await two.connect();
  await two.at("/ui/chat");
  await expect(chats(two.page)).toHaveCount(0);
  await two.join(code);
  await agree(one, two);
  expect(await one.everything(), "no deletion came from the one that was empty").toBe(before);
  expect(await workspace(two.page, chat)).toEqual({ "kept.txt": "a file that is kept" });

  await damage(two.page, createHash("sha256").update("a file that is kept").digest("hex"));
  await two.at("/ui/settings");
  await two.page.getByTestId("check-storage").click();
  await expect(two.page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "bad");
  await two.page.getByTestId("check-repair").click();
  await expect(two.page.getByTestId("check-report")).toContainText("Fetched from your other devices: 1.");
  await expect(two.page.getByTestId("check-verdict")).toHaveAttribute("data-kind", "good");
  expect(await workspace(two.page, chat)).toEqual({ "kept.txt": "a file that is kept" });
});

/** R325 */
test("a device is shut out and told so, the key is changed, and the code is asked for anew", async ({ device }) => {
  const one = await device();
  const two = await device();
  const three = await device();
  const code = await one.start();
  await two.join(code);
  await three.join(code);
  await two.at("/ui/settings#sync");
  await two.page.getByTestId("sync-rename").click();
  await two.page.getByTestId("sync-name-input").fill("The lost laptop");
  await two.page.getByTestId("sync-name-save").click();
  await expect(two.page.getByTestId("sync-device").filter({ hasText: "The lost laptop" })).toBeVisible();

  await one.page.getByTestId("sync-devices-again").click();
  const lost = one.page.getByTestId("sync-device").filter({ hasText: "The lost laptop" });
  await lost.getByTestId("sync-shut-out").click();
  await one.page.getByTestId("confirm-ok").click();
  await expect(lost).toContainText("Revoked");
  // It hears of it at once, without anything to send.
  await expect(status(two.page)).toHaveAttribute("data-state", "stuck");
  await expect(two.page.getByTestId("sync-status-hint")).toContainText("this device was revoked", { ignoreCase: true });

  await one.page.getByTestId("sync-change-key").click();
  await one.page.getByTestId("confirm-ok").click();
  const fresh = one.page.getByTestId("sync-code");
  await expect(fresh).toBeVisible();
  const next = (await fresh.textContent()) ?? "";
  expect(next).not.toBe(code);
  await one.at("/ui/chat");
  await begin(one.page, "Under the new key");
  await three.at("/ui/settings#sync");
  await expect(status(three.page)).toHaveAttribute("data-state", "stuck");
  await three.type(code);
  await expect(three.page.getByTestId("sync-join-error")).toContainText("belongs to another account");
  await three.join(next);
  await agree(one, three);
  await three.at("/ui/settings#sync");
  await three.page.getByTestId("sync-show-code").click();
  await expect(three.page.getByTestId("sync-code")).toHaveText(next);

  await three.page.getByTestId("sync-pause").click();
  await expect(status(three.page)).toHaveAttribute("data-state", "paused");
  await three.at("/ui/chat");
  await begin(three.page, "Written while paused");
  await three.at("/ui/settings#sync");
  expect(await three.waiting(), "nothing is sent while it rests").toBeGreaterThan(0);
  await three.page.getByTestId("sync-pause").click();
  await agree(one, three);
  await three.page.getByTestId("sync-leave").click();
  await three.page.getByTestId("confirm-ok").click();
  await expect(three.page.getByTestId("sync-start")).toBeVisible();
  await three.at("/ui/chat");
  await expect(chats(three.page)).toHaveCount(2);
});

/** F13, R326: what is written without a server is kept, and sent when there is one again. */
test("with the server stopped and the browser cold a device goes on, and syncs later", async ({ device, satchel }) => {
  const one = await device();
  const two = await device();
  await two.join(await one.start());
  await agree(one, two);
  await one.profile.close();
  await satchel.stop();

  one.page = await one.profile.open();
  await one.at("/ui/chat");
  await begin(one.page, "Written with no server anywhere");
  expect(await one.waiting(), "it waits to be sent").toBeGreaterThan(0);
  await satchel.start();
  await agree(one, two);
  await two.at("/ui/chat");
  await expect(chats(two.page)).toHaveCount(1);
});

/** R315, R316: of all tabs one syncs. */
test("the tab that syncs is closed, and another takes its role", async ({ device, satchel }) => {
  const one = await device();
  const two = await device();
  await two.join(await one.start());
  const beside = await one.page.context().newPage();
  await beside.goto(`${satchel.origin}/ui/chat`);
  await ready(beside);
  await expect(beside.getByTestId("sync-badge")).toHaveText("Synced");
  await one.page.close();
  one.page = beside;
  await begin(beside, "Said in the tab that is left");
  await agree(one, two);
  await expect(chats(two.page)).toHaveText([/Said in the tab that is left/]);
});

/** F17, R261 */
test("a command that comes with a synced row is started by nobody", async ({ device, folder }) => {
  const canary = join(folder, "started");
  const servers = [{ id: "program", command: "sh", args: ["-c", `echo started > ${canary}`] }];
  const yaml = `manifest_version: "1"\nid: stranger\nname: Stranger\nversion: "1.0.0"\nmcp_servers: ${JSON.stringify(servers)}\n`;
  const one = await device();
  const two = await device();
  const code = await one.start();
  await one.at("/ui/toolsets");
  await one.page.getByTestId("toolset-import-input").setInputFiles(asFile("stranger.zip", zip([{ path: "toolset.yaml", text: yaml }])));
  await one.page.getByTestId("import-confirm").click();
  await expect(one.page.getByTestId("toolset-card-stranger")).toBeVisible();
  await two.join(code);
  await agree(one, two);
  await two.at("/ui/servers");
  const approval = two.page.getByTestId("server-approval-stranger~program");
  await expect(approval).toContainText("satchel mcp approve");
  await two.page.getByTestId("server-reconnect-stranger~program").click();
  await expect(approval).toContainText("satchel mcp approve");
  expect(existsSync(canary), "nothing is started that nobody has approved").toBe(false);
});
