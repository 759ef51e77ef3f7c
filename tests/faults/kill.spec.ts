// F1: the browser is killed at a random moment of an upload or an import, again and again, on the same profile.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { chromium, type Page } from "@playwright/test";

import { manifest, zip } from "../journeys/bundle";
import { expect, ready, test } from "../journeys/harness";
import { ask, expectClean, report, sha256, text, upload, type Upload } from "./ground";

const TIMES = Number(process.env.SATCHEL_FAULT_TIMES ?? 20);
/** What a person waits for. */
const REOPENS_WITHIN = 5_000;
const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"];

/** A browser that can be killed with all its processes, as a power cut would. */
async function launch(profile: string) {
  const portFile = join(profile, "DevToolsActivePort");
  rmSync(portFile, { force: true });
  const child = spawn(process.env.CHROMIUM as string, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], { stdio: "ignore", detached: true });
  const gone = new Promise((resolve) => child.on("exit", resolve));
  await expect.poll(() => existsSync(portFile) && readFileSync(portFile, "utf8").includes("\n"), { intervals: [20] }).toBe(true);
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(portFile, "utf8").split("\n")[0]}`);
  const context = browser.contexts()[0];
  const page = context.pages()[0] ?? (await context.newPage());
  const kill = async () => {
    process.kill(-(child.pid as number), "SIGKILL");
    await gone;
    await browser.close().catch(() => {});
  };
  return { page, kill };
}

test("F1 kill", async ({ satchel, folder }) => {
  const profile = join(folder, "killed");
  const files = new Map<string, string>();
  const toolsets = new Set<string>();
  let chat = "";
  const slowest = { reopened: 0 };
  const moments = { upload: 1_500, import: 1_500 };
  const acknowledged = { upload: 0, import: 0 };

  /** Everything that was told to be stored is there, and all that is there is sound. */
  const look = async (page: Page) => {
    await expectClean(page);
    const workspace = await ask(page, "GET", `/local/chats/${chat}/workspace`);
    const there = new Map(workspace.body.files.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256]));
    for (const [path, hash] of files) expect(there.get(path), path).toBe(hash);
    const installed = (await ask(page, "GET", "/local/toolsets")).body.toolsets.map(({ id }: { id: string }) => id);
    for (const id of toolsets) expect(installed).toContain(id);
    const messages = await ask(page, "GET", `/local/chats/${chat}`);
    expect(JSON.stringify(messages.body), "the user's message is there").toContain("Keep this");
  };

  for (let round = 0; round <= TIMES; round += 1) {
    const { page, kill } = await launch(profile);
    try {
      const started = performance.now();
      await page.goto(chat ? `${satchel.origin}/ui/chat/${chat}` : satchel.origin);
      await ready(page);
      const reopened = performance.now() - started;
      if (!chat) {
        await page.getByTestId("chat-input").fill("Keep this");
        await page.getByTestId("send-button").click();
        await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
        await expect(page.getByTestId("message-user")).toHaveCount(1);
        chat = page.url().split("/").pop() as string;
      } else {
        slowest.reopened = Math.max(slowest.reopened, reopened);
        expect(reopened, "milliseconds to reopen").toBeLessThan(REOPENS_WITHIN);
        await look(page);
      }
      if (round === TIMES) break;

      const kind = round % 2 === 0 ? ("upload" as const) : ("import" as const);
      let done: Promise<void>;
      let remember: () => void;
      if (kind === "upload") {
        const brought: Upload[] = Array.from({ length: 250 }, (_, number) => text(`round-${round}-file-${number}.bin`, randomBytes(4_000)));
        await upload(page, brought);
        done = expect(page.getByTestId("notice").filter({ hasText: "250 files stored" })).toBeVisible();
        remember = () => brought.forEach(({ name, buffer }) => files.set(name, sha256(buffer)));
      } else {
        await page.goto(`${satchel.origin}/ui/toolsets`);
        await ready(page);
        const id = `toolset-${round}`;
        const entries = Array.from({ length: 100 }, (_, number) => ({ path: `assets/${number}.bin`, text: randomBytes(10_000) }));
        const bundle = zip([{ path: "toolset.yaml", text: manifest({ id }) }, ...entries]);
        await page.getByTestId("toolset-import-input").setInputFiles({ name: "bundle.zip", mimeType: "application/zip", buffer: bundle });
        await page.getByTestId("import-confirm").click();
        done = expect(page.getByTestId(`toolset-card-${id}`)).toBeVisible();
        remember = () => toolsets.add(id);
      }
      // The first of a kind is left in peace, to learn how long it takes.
      const begun = performance.now();
      const moment = round < 2 ? 60_000 : Math.random() * moments[kind];
      const finished = await Promise.race([done.then(() => true, () => false), new Promise<boolean>((resolve) => setTimeout(() => resolve(false), moment))]);
      if (finished) {
        if (round < 2) moments[kind] = (performance.now() - begun) * 1.1;
        acknowledged[kind] += 1;
        remember();
      }
    } finally {
      await kill();
    }
  }
  expect(Math.min(acknowledged.upload, acknowledged.import), "the first of each kind was left in peace").toBeGreaterThan(0);
  await report(
    "kill",
    `${TIMES} kills, ${acknowledged.upload} uploads and ${acknowledged.import} imports acknowledged before them; clean each time, slowest reopening ${(slowest.reopened / 1_000).toFixed(1)} s`,
  );
});
