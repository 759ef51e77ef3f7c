// F1: the browser is killed at a random moment of an upload, an import or a switch of branches, again and again, on the same profile.
import { randomBytes } from "node:crypto";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { manifest, zip } from "../journeys/bundle";
import { expect, ready, test, type Satchel } from "../journeys/harness";
import { ask, begin, dismiss, expectClean, report, sha256, text, upload, type Upload } from "./ground";
import { launch, REOPENS_WITHIN } from "./killed_browser";

const TIMES = Number(process.env.SATCHEL_FAULT_TIMES ?? 20);

const KINDS = ["upload", "import", "branch"] as const;

/** So often one profile is killed before the next: all that it holds is looked at after every kill, and that grows. */
const OF_ONE = 50;

/** What is not as it was told to be. Thousands of files are compared in one go: an expectation for each takes longer than all else. */
const lost = (told: Map<string, string>, there: Record<string, string>): string[] =>
  [...told].filter(([path, hash]) => there[path] !== hash).map(([path]) => path);

/** A chat that goes several ways from its first message, and the files that each way has been told to have. */
class Fork {
  private chat = "";
  private readonly ways = new Map<string, Map<string, string>>();

  /** A new way, files on it, and the way before it and back: each is remembered once the app has said that it is there. */
  async go(page: Page, origin: string, round: number): Promise<void> {
    if (!this.chat) {
      this.chat = await begin(page, origin, "Fork here");
      await page.getByTestId("chat-input").fill("Way 0");
      await page.getByTestId("send-button").click();
      await expect(page.getByTestId("message-user")).toHaveCount(2);
      this.ways.set("Way 0", new Map());
    }
    const words = `Way ${round}`;
    await page.getByTestId("message-edit").last().click();
    await page.getByTestId("message-edit-text").fill(words);
    await page.getByTestId("message-edit-save").click();
    await expect(page.getByTestId("message-user").last()).toContainText(words);
    // The message is seen as soon as it is stored; one that was killed may have left ways that nobody was told of.
    const files = new Map<string, string>();
    this.ways.set(words, files);
    await expect(page.getByTestId("branch-count")).toHaveText(/^(\d+) \/ \1$/);

    const brought = Array.from({ length: 40 }, (_, number) => text(`way-${round}-${number}.bin`, randomBytes(4_000)));
    await upload(page, brought);
    await expect(page.getByTestId("notice").filter({ hasText: "40 files stored" })).toBeVisible();
    brought.forEach(({ name, buffer }) => files.set(name, sha256(buffer)));
    await dismiss(page);

    const own = page.getByTestId(`workspace-file-${brought[0].name}`);
    // The pane of files is there in a narrow window too, behind the chat.
    await expect(own).toHaveCount(1);
    await page.getByTestId("branch-prev").click();
    await expect(own).toHaveCount(0);
    await page.getByTestId("branch-next").click();
    await expect(own).toHaveCount(1);
  }

  /** Where it is. */
  address(origin: string): string {
    return this.chat ? `${origin}/ui/chat/${this.chat}` : origin;
  }

  /** Every way that was told to be there is, with its files. */
  async look(page: Page): Promise<void> {
    if (!this.chat) return;
    const { body } = await ask(page, "GET", `/local/chats/${this.chat}`);
    const messages: { id: string; content: string }[] = body.messages;
    for (const [words, files] of this.ways) {
      const message = messages.find(({ content }) => content === words);
      expect(message, words).toBeDefined();
      if (files.size === 0) continue;
      const manifest = await ask(page, "GET", `/local/chats/${this.chat}/messages/${message!.id}/manifest`);
      expect(lost(files, manifest.body.files), words).toEqual([]);
    }
  }
}

test("F1 kill", async ({ satchel, folder }) => {
  const slowest = { reopened: 0 };
  const acknowledged = { upload: 0, import: 0, branch: 0 };
  for (let done = 0; done < TIMES; done += OF_ONE) {
    await killed(satchel, join(folder, `killed-${done}`), Math.min(OF_ONE, TIMES - done), slowest, acknowledged);
  }
  expect(Math.min(...Object.values(acknowledged)), "the first of each kind was left in peace").toBeGreaterThan(0);
  await report(
    "kill",
    `${TIMES} kills, ${acknowledged.upload} uploads, ${acknowledged.import} imports and ${acknowledged.branch} switches of branches acknowledged before them; clean each time, slowest reopening ${(slowest.reopened / 1_000).toFixed(1)} s`,
  );
});

type Slowest = { reopened: number };
type Acknowledged = Record<(typeof KINDS)[number], number>;

/** Kills the browser of one profile so many times, and looks at all it holds after each. */
async function killed(satchel: Satchel, profile: string, times: number, slowest: Slowest, acknowledged: Acknowledged): Promise<void> {
  const files = new Map<string, string>();
  const toolsets = new Set<string>();
  let chat = "";
  const fork = new Fork();
  const moments = { upload: 1_500, import: 1_500, branch: 1_500 };

  /** Everything that was told to be stored is there, and all that is there is sound. */
  const look = async (page: Page) => {
    await expectClean(page);
    const workspace = await ask(page, "GET", `/local/chats/${chat}/workspace`);
    expect(workspace.body, "the files can be read").toHaveProperty("files");
    const there: [string, string][] = workspace.body.files.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256]);
    expect(lost(files, Object.fromEntries(there)), "files that are gone or otherwise").toEqual([]);
    const installed = (await ask(page, "GET", "/local/toolsets")).body.toolsets.map(({ id }: { id: string }) => id);
    for (const id of toolsets) expect(installed).toContain(id);
    const messages = await ask(page, "GET", `/local/chats/${chat}`);
    expect(JSON.stringify(messages.body), "the user's message is there").toContain("Keep this");
    await fork.look(page);
  };

  for (let round = 0; round <= times; round += 1) {
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
      if (round === times) break;

      const kind = KINDS[round % KINDS.length];
      let done: Promise<void>;
      let remember: () => void;
      if (kind === "upload") {
        const brought: Upload[] = Array.from({ length: 250 }, (_, number) => text(`round-${round}-file-${number}.bin`, randomBytes(4_000)));
        await upload(page, brought);
        done = expect(page.getByTestId("notice").filter({ hasText: "250 files stored" })).toBeVisible();
        remember = () => brought.forEach(({ name, buffer }) => files.set(name, sha256(buffer)));
      } else if (kind === "branch") {
        await page.goto(fork.address(satchel.origin));
        await ready(page);
        done = fork.go(page, satchel.origin, round);
        remember = () => {};
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
      const isFirst = round < KINDS.length;
      const moment = isFirst ? 60_000 : Math.random() * moments[kind];
      const ended = isFirst ? done.then(() => true) : done.then(() => true, () => false);
      const finished = await Promise.race([ended, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), moment))]);
      if (finished) {
        if (isFirst) moments[kind] = (performance.now() - begun) * 1.1;
        acknowledged[kind] += 1;
        remember();
      }
    } finally {
      await kill();
    }
  }
}
