// Measures the box that finds anything, in the real app.
//
// usage: node search.mjs keystroke COUNT ROUNDS CHROMIUM ORIGIN [FLAG…]
// Prints [{arm: milliseconds, …}, …] as JSON, a round each: COUNT messages in chats of twenty, some 100 keystrokes of words that are
// frequent, rare, several or not there at all. `app` is the 95th percentile from the event to what it found in the page, `app_median` the
// 50th, `app_cold` the time from opening the box in a fresh tab until everything was read, `limit` the figure to keep to.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";

import { finish, within } from "./within.mjs";

const [, countText, roundsText, executablePath, origin, ...args] = process.argv.slice(2);
const COUNT = Number(countText);
const LIMIT = 50;
/** Seconds that writing the messages, and one round, may take. */
const [PREPARED, MEASURED] = [600, 600];
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "satchel-search-"));

/** The journeys' own way to begin a chat, which is TypeScript. */
const module = join(folder, "seeded.mjs");
buildSync({ entryPoints: [join(here, "../journeys/seeded.ts")], bundle: true, format: "esm", platform: "node", outfile: module });
const { begin } = await import(pathToFileURL(module));

const ready = (page) => page.waitForSelector("html[data-ready=true]", { state: "attached" });

/** Writes messages as the app stores them. The words are made of syllables, and as unequally frequent as those of a language. */
async function write(page, chat) {
  await page.evaluate(
    async ([chat, count]) => {
      let state = 12345;
      const random = () => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32);
      const syllables = "ka lo mi ren ta su vel no dri pa sho qui be tan ger fo li mar ze ul".split(" ");
      const words = Array.from({ length: 30_000 }, (_, at) => {
        let word = "";
        for (let rest = at + 20; rest > 0; rest = Math.floor(rest / 20)) word += syllables[rest % 20];
        return word;
      });
      const word = () => words[Math.floor(words.length ** random()) - 1] ?? words[0];
      const settled = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await settled(indexedDB.open("satchel"));
      const stored = await settled(database.transaction("chats").objectStore("chats").get(chat));
      const fields = JSON.parse(stored.fields);
      const [stamp] = Object.values(JSON.parse(stored.stamps));
      const stamps = (fields) => JSON.stringify(Object.fromEntries(Object.keys(fields).map((field) => [field, stamp])));
      const id = (kind, number) => `0198c5a4-7c1e-7000-800${kind}-${number.toString(16).padStart(12, "0")}`;
      for (let from = 0; from < count; from += 2_000) {
        const transaction = database.transaction(["chats", "messages"], "readwrite");
        for (let at = from; at < Math.min(from + 2_000, count); at += 1) {
          const number = Math.floor(at / 20);
          const said = new Date(Date.parse(fields.created_at) - (count - at) * 60_000).toISOString();
          if (at % 20 === 0) {
            const row = { ...fields, id: id(1, number), title: `${word()} ${word()} ${number}`, created_at: said, modified_at: said };
            transaction.objectStore("chats").put({ fields: JSON.stringify(row), stamps: stamps(row) }, row.id);
          }
          const content = Array.from({ length: 20 + Math.floor(160 * random()) }, word).join(" ");
          const message = {
            id: id(2, at), chat_id: id(1, number), parent_id: at % 20 === 0 ? null : id(2, at - 1),
            role: at % 2 ? "assistant" : "user", content, created_at: said,
          };
          const row = { fields: JSON.stringify(message), stamps: stamps(message), by_chat_id: message.chat_id };
          transaction.objectStore("messages").put(row, message.id);
        }
        await new Promise((resolve, reject) => {
          transaction.oncomplete = resolve;
          transaction.onabort = () => reject(transaction.error);
        });
      }
      database.close();
    },
    [chat, COUNT],
  );
}

/** Opens the box in a fresh tab and types. */
async function round(context) {
  const page = await context.newPage();
  await page.goto(`${origin}/ui/chat`);
  await ready(page);
  const measured = await page.evaluate(async () => {
    const until = (is) =>
      new Promise((resolve) => {
        if (is()) return resolve();
        const observer = new MutationObserver(() => {
          if (!is()) return;
          observer.disconnect();
          resolve();
        });
        observer.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true });
      });
    const box = () => document.querySelector("[data-testid=search-input]");
    const note = () => document.querySelector("[data-testid=search-note]").textContent;
    const isDone = () => document.querySelector("#search-list")?.getAttribute("aria-busy") === "false";
    const type = async (text) => {
      const started = performance.now();
      box().value = text;
      box().dispatchEvent(new Event("input", { bubbles: true }));
      await until(isDone);
      return performance.now() - started;
    };
    const opened = performance.now();
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
    await until(box);
    await type("kalo");
    await until(() => isDone() && /result|Nothing/.test(note()));
    const cold = performance.now() - opened;
    const times = [];
    for (const words of ["kalo miren", "tasu", "vel no", "shoquibe", "fo li mar", "\"ka lo\"", "zeul tanger", "xyzzy", "dri", "mikalo sukalo", "ulkaka", "be"]) {
      for (let end = 1; end <= words.length; end += 1) times.push(await type(words.slice(0, end)));
    }
    return { cold, times };
  });
  await page.close();
  const sorted = measured.times.toSorted((one, other) => one - other);
  const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { app: quantile(0.95), app_median: quantile(0.5), app_cold: measured.cold, limit: LIMIT };
}

const context = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath, args, headless: true, viewport: { width: 1440, height: 900 },
});
async function prepare() {
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(`${origin}/ui/chat`);
  await ready(page);
  await write(page, await begin(page));
  await page.close();
}

await finish(
  async () => {
    await within(PREPARED, "search: preparing", prepare());
    const results = [];
    for (let at = 0; at < Number(roundsText); at += 1) {
      results.push(await within(MEASURED, `search, round ${at + 1}`, round(context)));
      console.error(`    round ${at + 1} of ${roundsText}: ${JSON.stringify(results.at(-1))}`);
    }
    return results;
  },
  async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  },
);
