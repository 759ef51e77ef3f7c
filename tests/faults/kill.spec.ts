// F1: the browser is killed at a random moment of an upload, an import or an answer, again and again, on the same profile.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { chromium, type Page } from "@playwright/test";

import { manifest, zip } from "../journeys/bundle";
import { expect, ready } from "../journeys/harness";
import { test, type Step } from "../journeys/scripted_model";
import { ask, expectClean, report, sha256, text, upload, type Upload } from "./ground";

const TIMES = Number(process.env.SATCHEL_FAULT_TIMES ?? 20);
/** What a person waits for. */
const REOPENS_WITHIN = 5_000;
const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"];

/** What the model says of a question, in so many pieces as an answer has that takes a while. */
const PIECES = 60;
const answerTo = (question: string) => Array.from({ length: PIECES }, (_, piece) => `${question}, piece ${piece}. `);
const KINDS = ["upload", "import", "stream"] as const;
type Kind = (typeof KINDS)[number];

/** A message as the local API gives it. */
type Stored = { id: string; parent_id: string | null; role: string; content: string; metadata: { finish?: string; ended?: string } };

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

test("F1 kill", async ({ satchel, folder, model }) => {
  const profile = join(folder, "killed");
  const files = new Map<string, string>();
  const toolsets = new Set<string>();
  const questions = new Set<string>();
  let chat = "";
  const slowest = { reopened: 0 };
  const moments: Record<Kind, number> = { upload: 1_500, import: 1_500, stream: 1_500 };
  const acknowledged: Record<Kind, number> = { upload: 0, import: 0, stream: 0 };
  const kept = { whole: 0, part: 0 };
  // A piece at a time, as far apart as a quick provider sends them.
  const pace = () => new Promise((resolve) => setTimeout(resolve, 20));
  model.script = ({ messages }) => {
    const pieces = answerTo(messages.at(-1)!.content).flatMap((text): (Step | (() => Promise<unknown>))[] => [{ text }, pace]);
    return [...pieces, { finish: "stop" }];
  };

  /** Everything that was told to be stored is there, and all that is there is sound. */
  const look = async (page: Page) => {
    // What a killed browser has left is taken up first.
    await expect(page.getByTestId("answer-coming")).toHaveCount(0);
    await expectClean(page);
    const workspace = await ask(page, "GET", `/local/chats/${chat}/workspace`);
    const there = new Map(workspace.body.files.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256]));
    for (const [path, hash] of files) expect(there.get(path), path).toBe(hash);
    const installed = (await ask(page, "GET", "/local/toolsets")).body.toolsets.map(({ id }: { id: string }) => id);
    for (const id of toolsets) expect(installed).toContain(id);
    const { messages } = (await ask(page, "GET", `/local/chats/${chat}`)).body as { messages: Stored[] };
    Object.assign(kept, { whole: 0, part: 0 });
    for (const question of questions) {
      const asked = messages.find(({ role, content }) => role === "user" && content === question);
      expect(asked, `"${question}" is there`).toBeTruthy();
      const answers = messages.filter(({ parent_id, role }) => role === "assistant" && parent_id === asked!.id);
      expect(answers.length, `"${question}" has one answer at most`).toBeLessThan(2);
      for (const { content, metadata } of answers) {
        const whole = answerTo(question).join("");
        expect(whole.startsWith(content), `the answer to "${question}" is as it came`).toBe(true);
        if (metadata.finish === "stop") expect(content).toBe(whole);
        else expect(metadata.ended, `an answer in part says so`).toBe("interrupted");
        kept[metadata.finish === "stop" ? "whole" : "part"] += 1;
      }
    }
  };

  for (let round = 0; round <= TIMES; round += 1) {
    const { page, kill } = await launch(profile);
    try {
      const started = performance.now();
      await page.goto(chat ? `${satchel.origin}/ui/chat/${chat}` : satchel.address);
      await ready(page);
      const reopened = performance.now() - started;
      if (!chat) {
        await expect(page.getByTestId("model-picker")).toContainText("scripted");
        await page.getByTestId("chat-input").fill("Keep this");
        await page.getByTestId("send-button").click();
        await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
        await expect(page.getByTestId("message-assistant")).toContainText(`piece ${PIECES - 1}.`);
        chat = page.url().split("/").pop() as string;
        questions.add("Keep this");
      } else {
        slowest.reopened = Math.max(slowest.reopened, reopened);
        expect(reopened, "milliseconds to reopen").toBeLessThan(REOPENS_WITHIN);
        await look(page);
      }
      if (round === TIMES) break;

      const kind = KINDS[round % KINDS.length];
      let done: Promise<void>;
      let remember: () => void;
      if (kind === "upload") {
        const brought: Upload[] = Array.from({ length: 250 }, (_, number) => text(`round-${round}-file-${number}.bin`, randomBytes(4_000)));
        await upload(page, brought);
        done = expect(page.getByTestId("notice").filter({ hasText: "250 files stored" })).toBeVisible();
        remember = () => brought.forEach(({ name, buffer }) => files.set(name, sha256(buffer)));
      } else if (kind === "import") {
        await page.goto(`${satchel.origin}/ui/toolsets`);
        await ready(page);
        const id = `toolset-${round}`;
        const entries = Array.from({ length: 100 }, (_, number) => ({ path: `assets/${number}.bin`, text: randomBytes(10_000) }));
        const bundle = zip([{ path: "toolset.yaml", text: manifest({ id }) }, ...entries]);
        await page.getByTestId("toolset-import-input").setInputFiles({ name: "bundle.zip", mimeType: "application/zip", buffer: bundle });
        await page.getByTestId("import-confirm").click();
        done = expect(page.getByTestId(`toolset-card-${id}`)).toBeVisible();
        remember = () => toolsets.add(id);
      } else {
        const question = `Question ${round}`;
        await expect(page.getByTestId("model-picker")).toContainText("scripted");
        await page.getByTestId("chat-input").fill(question);
        await page.getByTestId("send-button").click();
        // A message that is shown is a message that is stored.
        const shown = expect(page.getByTestId("message-user").filter({ hasText: question })).toBeVisible();
        shown.then(() => questions.add(question)).catch(() => {});
        done = expect(page.getByTestId("message-assistant").last()).toContainText(`${question}, piece ${PIECES - 1}.`);
        remember = () => {};
      }
      // The first of a kind is left in peace, to learn how long it takes.
      const begun = performance.now();
      const moment = round < KINDS.length ? 60_000 : Math.random() * moments[kind];
      const finished = await Promise.race([done.then(() => true, () => false), new Promise<boolean>((resolve) => setTimeout(() => resolve(false), moment))]);
      if (finished) {
        if (round < KINDS.length) moments[kind] = (performance.now() - begun) * 1.1;
        acknowledged[kind] += 1;
        remember();
      }
    } finally {
      await kill();
    }
  }
  expect(Math.min(...Object.values(acknowledged)), "the first of each kind was left in peace").toBeGreaterThan(0);
  // Nobody asks a second time for what a dead browser has left.
  const asked = model.asked.map(({ messages }) => messages.at(-1)!.content);
  expect(new Set(asked).size).toBe(asked.length);
  await report(
    "kill",
    `${TIMES} kills, ${acknowledged.upload} uploads and ${acknowledged.import} imports acknowledged before them, ${questions.size} questions all there, ` +
      `${kept.whole} with their whole answer and ${kept.part} with a part; clean each time, slowest reopening ${(slowest.reopened / 1_000).toFixed(1)} s`,
  );
});
