// Measures what calls gave, on the screen, in the real app.
//
// usage: node render.mjs ROW COUNT ROUNDS CHROMIUM ORIGIN [FLAG…]
// Prints [{arm: milliseconds, …}, …] as JSON, a round each. Rows:
//   table  the time between frames while a table of COUNT rows is scrolled, a screen further with each frame: mean, and the longest; and the
//          longest task of the page from the click on its chat until its first rows are there
//   code   a file of 5 MB: from being scrolled to until its first lines are painted
//   chat   a chat with COUNT rendered calls: from the click on it until its last result is painted, at first and again
//   messages  a chat of COUNT messages: from the click on it until the newest is painted and a letter can be typed, and the time between frames while it is
//          scrolled through
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";

import { finish, within } from "./within.mjs";

const [row, countText, roundsText, executablePath, origin, ...args] = process.argv.slice(2);
const COUNT = Number(countText);
/** Seconds that filling a profile, and one round, may take. */
const [PREPARED, MEASURED] = [600, 180];
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "satchel-render-"));

/** The journeys' own way to put calls into a chat, which is TypeScript. */
const module = join(folder, "seeded.mjs");
buildSync({ entryPoints: [join(here, "../journeys/seeded.ts")], bundle: true, format: "esm", platform: "node", outfile: module });
const { begin, say, seed } = await import(pathToFileURL(module));

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const ready = (page) => page.waitForSelector("html[data-ready=true]", { state: "attached" });

const contexts = [];
async function open(profile) {
  const context = await chromium.launchPersistentContext(join(folder, profile), {
    executablePath, args, headless: true, viewport: { width: 1440, height: 900 },
  });
  contexts.push(context);
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(`${origin}/ui/chat`);
  await ready(page);
  return page;
}

/** A result of one of the kinds that people see most, each with something of its own in it. */
function call(at) {
  const rows = Array.from({ length: 40 }, (_, row) => ({ row, name: `name ${row}`, value: row * at }));
  const plan = (renderer, config) => ({ result: { at }, render_plan: { renderer, config } });
  const kinds = [
    () => plan("code", { content: `def f${at}(x):\n    return x + ${at}\n`.repeat(20), language: "python" }),
    () => plan("document", { content: `# Part ${at}\n\nSome **words** and a list:\n\n${"- one of many\n".repeat(12)}` }),
    () => ({ result: { rows } }),
    () => ({ result: { stdout: `\u001b[32mline\u001b[0m of ${at}\n`.repeat(30), exit_code: 0 } }),
    () => ({ result: { diff: `--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+${at}\n three\n` } }),
  ];
  return { tool_id: `measured:tool_${at}`, args: { at }, ...kinds[at % kinds.length]() };
}

const rows = {
  async table() {
    const page = await open("table");
    const chat = await begin(page);
    const data = Array.from({ length: COUNT }, (_, n) => ({ id: n, name: `row ${n}`, value: (n * 7919) % COUNT, city: "Somewhere", share: n / COUNT, on: n % 2 === 0 }));
    const text = JSON.stringify({ rows: data });
    const spilled = { path: ".satchel/results/x.json", sha256: sha256(text), size: text.length, media_type: "application/json", preview: "{" };
    await seed(page, chat, [{ tool_id: "measured:table", spilled }], [text]);
    return async () => {
      await page.goto(`${origin}/ui/chat`);
      await ready(page);
      await page.locator("[data-testid=chat-list-item]").waitFor();
      const opening = await page.evaluate(async () => {
        const tasks = [];
        const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
        observer.observe({ type: "longtask" });
        const link = document.querySelector("[data-testid=chat-list-item]");
        (link.closest("a") ?? link.querySelector("a") ?? link).click();
        const started = performance.now();
        const drawn = () => document.querySelectorAll(".table-view tbody tr").item(5)?.textContent;
        while (!drawn()) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          if (performance.now() - started > 60_000) throw new Error("the table was not drawn within a minute");
        }
        await new Promise((resolve) => requestAnimationFrame(resolve));
        tasks.push(...observer.takeRecords().map((entry) => entry.duration));
        observer.disconnect();
        // Only what takes longer than 50 ms is told of.
        return Math.max(0, ...tasks);
      });
      const times = await page.evaluate(async () => {
        const view = document.querySelector(".table-view");
        view.scrollTop = 0;
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        for (let warm = 0; warm < 10; warm += 1) await frame();
        const times = [];
        let last = await frame();
        for (let at = 0; at < 300; at += 1) {
          view.scrollTop += 400;
          const now = await frame();
          times.push(now - last);
          last = now;
        }
        return times;
      });
      return { app: times.reduce((sum, time) => sum + time, 0) / times.length, app_worst: Math.max(...times), app_opening: opening };
    };
  },

  async code() {
    const page = await open("code");
    const chat = await begin(page);
    const text = Array.from({ length: 100_000 }, (_, line) => `value_${line} = compute(${line}, "some text of this line")`).join("\n").slice(0, 5 << 20);
    const plan = { renderer: "code", config: { file: "large.py" }, pinned: { "large.py": sha256(text) } };
    // Below the large file are enough others that it is out of sight at first.
    const others = Array.from({ length: 20 }, (_, at) => call(at * 5 + 3));
    await seed(page, chat, [call(0), { tool_id: "measured:large", result: {}, render_plan: plan }, ...others], [text]);
    return async () => {
      await page.reload();
      await ready(page);
      await page.locator("[data-testid=renderer-terminal]").last().waitFor();
      // The editor's own script is here once any code has been shown.
      const opened = await page.evaluate(async () => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const list = document.getElementById("messages");
        const card = () => [...document.querySelectorAll(".tool-call")].find((card) => card.textContent.includes("large"));
        const lines = () => card().querySelector(".code-host")?.shadowRoot?.querySelector(".cm-line");
        const started = performance.now();
        // As a hand does it, until it is there: a chat stays at its end where nobody has moved, and what is drawn on the way moves the rest.
        while (!lines()) {
          list.dispatchEvent(new WheelEvent("wheel"));
          card().scrollIntoView();
          await frame();
          if (performance.now() - started > 60_000) {
            const { top, bottom } = card().getBoundingClientRect();
            const near = card().querySelector(".when-near")?.dataset.near;
            throw new Error(`its lines are not there after a minute: from ${top} to ${bottom}, near: ${near}, at ${list.scrollTop} of ${list.scrollHeight}`);
          }
        }
        await frame();
        return performance.now() - started;
      });
      return { app: opened };
    };
  },

  async messages() {
    const page = await open("messages");
    const chat = await begin(page);
    const words = "Some words of an ordinary answer, with a **strong** one and `code` in it. ";
    const answer = (at) => [
      () => words.repeat(4),
      () => `## Part ${at}\n\n${words}\n\n${"- one of several\n".repeat(5)}`,
      () => `${words}\n\n\`\`\`py\nprint(${at})\n\`\`\`\n`,
      () => `| a | b |\n|---|---|\n${`| ${at} | 2 |\n`.repeat(4)}`,
    ][at % 4]();
    const said = Array.from({ length: COUNT - 1 }, (_, at) => (at % 2 ? ["user", `Question ${at}?`] : ["assistant", answer(at >> 1)]));
    said.push(["user", "The newest message"]);
    await say(page, chat, said);
    const enter = () =>
      page.evaluate(async () => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const link = document.querySelector("[data-testid=chat-list-item]");
        const started = performance.now();
        (link.closest("a") ?? link.querySelector("a") ?? link).click();
        const newest = () => [...document.querySelectorAll("[data-testid=message-user]")].at(-1)?.textContent.includes("The newest message");
        while (!newest()) {
          await frame();
          if (performance.now() - started > 120_000) throw new Error("not drawn after two minutes");
        }
        // A task behind everything that drawing has left to do.
        await frame();
        await new Promise((resolve) => setTimeout(resolve));
        const input = document.querySelector("[data-testid=chat-input]");
        input.focus();
        document.execCommand("insertText", false, "a");
        await frame();
        await new Promise((resolve) => setTimeout(resolve));
        return performance.now() - started;
      });
    const scroll = () =>
      page.evaluate(async () => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const list = document.getElementById("messages");
        for (let warm = 0; warm < 10; warm += 1) await frame();
        const times = [];
        let last = await frame();
        for (let at = 0; at < 300; at += 1) {
          list.scrollTop -= 400;
          const now = await frame();
          times.push(now - last);
          last = now;
        }
        return { app_frame: times.reduce((sum, time) => sum + time, 0) / times.length, app_worst: Math.max(...times) };
      });
    return async () => {
      await page.goto(`${origin}/ui/chat`);
      await ready(page);
      await page.locator("[data-testid=chat-list-item]").waitFor();
      return { app: await enter(), limit: 200, ...(await scroll()) };
    };
  },

  async chat() {
    const page = await open("chat");
    const chat = await begin(page);
    await seed(page, chat, Array.from({ length: COUNT }, (_, at) => call(at)));
    const enter = () =>
      page.evaluate(async (last) => {
        const link = document.querySelector("[data-testid=chat-list-item]");
        const started = performance.now();
        (link.closest("a") ?? link.querySelector("a") ?? link).click();
        const drawn = () => {
          const card = [...document.querySelectorAll(".tool-call")].at(-1);
          return card?.textContent.includes(last) && card.querySelector(".renderer");
        };
        while (!drawn()) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          if (performance.now() - started > 60_000) {
            const cards = [...document.querySelectorAll(".tool-call")];
            const list = document.getElementById("messages");
            throw new Error(
              `not drawn after a minute: ${cards.length} calls, the last is "${cards.at(-1)?.textContent.slice(0, 80)}", ` +
                `${document.querySelectorAll(".renderer").length} drawn, at ${list?.scrollTop} of ${list?.scrollHeight} (${list?.clientHeight} seen)`,
            );
          }
        }
        await new Promise((resolve) => requestAnimationFrame(resolve));
        return performance.now() - started;
      }, `tool_${COUNT - 1}`);
    return async () => {
      await page.goto(`${origin}/ui/chat`);
      await ready(page);
      await page.locator("[data-testid=chat-list-item]").waitFor();
      const first = await enter();
      await page.locator("[data-testid=new-chat]").first().click();
      await page.locator(".tool-call").first().waitFor({ state: "detached" });
      return { app: first, app_warm: await enter() };
    };
  },
};

await finish(
  async () => {
    const round = await within(PREPARED, `${row}: preparing`, rows[row]());
    const results = [];
    for (let at = 0; at < Number(roundsText); at += 1) {
      results.push(await within(MEASURED, `${row}, round ${at + 1}`, round()));
      console.error(`    round ${at + 1} of ${roundsText}: ${JSON.stringify(results.at(-1))}`);
    }
    return results;
  },
  async () => {
    for (const context of contexts) await context.close();
    rmSync(folder, { recursive: true, force: true });
  },
);
