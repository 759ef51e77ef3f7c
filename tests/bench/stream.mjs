// Measures an answer as it comes, in the real app. This script is the provider, and the page of the peer is its own.
//
// usage: node stream.mjs ROW CHARACTERS ROUNDS CHROMIUM ADDRESS PORT [FLAG…]
// ADDRESS is the app's with its token; the server knows this script as the provider `measured` on PORT. Rows:
//   stream  an answer of so many characters of Markdown, four in a piece, a piece a millisecond: milliseconds of the main thread until it is whole, in the
//           app and in a page that has marked and DOMPurify draw all of it anew every 60 ms. Prints [{arm: milliseconds, …}, …].
//   first   what a new browser asks the app's server for until a first answer is there. Prints [path, …].
import { createServer } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";

import { finish, within } from "./within.mjs";

const [row, charactersText, roundsText, executablePath, address, portText, ...args] = process.argv.slice(2);
const CHARACTERS = Number(charactersText);
const PORT = Number(portText);
/** Seconds that one answer may take. */
const MEASURED = 240;
const END = "This is the end of it.";
/** Pieces that are sent at once, since no timer is finer than that. */
const BATCH = 10;
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "satchel-stream-"));

/** What models write: headings, paragraphs, lists, tables and code. */
function markdown(characters) {
  const part = (at) =>
    `## Part ${at}\n\nA paragraph with **strong** and *gentle* words, \`code\` and a [link](https://example.com/${at}), as long as such paragraphs are.\n\n` +
    `- first of ${at}\n- second\n  - below the second\n- third\n\n` +
    `| name | value |\n|---|---|\n| one | ${at} |\n| two | ${at * 2} |\n\n` +
    `\`\`\`python\ndef part_${at}(x):\n    return [y + ${at} for y in range(x)]\n\`\`\`\n\n`;
  let text = "";
  for (let at = 0; text.length < characters - END.length; at += 1) text += part(at);
  return `${text.slice(0, text.lastIndexOf("\n\n", characters - END.length))}\n\n${END}`;
}

const event = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** Streams a text as a provider does. */
async function stream(response, text) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const pieces = text.match(/[^]{1,4}/g).map(event);
  const started = performance.now();
  for (let at = 0; at < pieces.length; at += BATCH) {
    response.write(pieces.slice(at, at + BATCH).join(""));
    const due = started + at + BATCH;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
  response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`);
}

const text = row === "first" ? END : markdown(CHARACTERS);
const PEER = `
  import { marked } from "marked";
  import DOMPurify from "dompurify";
  window.run = async () => {
    const out = document.getElementById("out");
    let [said, shown, unread] = ["", "", ""];
    const draw = () => {
      if (said !== shown) out.innerHTML = DOMPurify.sanitize(marked.parse(said));
      shown = said;
    };
    const timer = setInterval(draw, 60);
    const answer = await fetch("/v1/chat/completions", { method: "POST", body: "{}" });
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const events = (unread + piece).split("\\n\\n");
      unread = events.pop();
      for (const event of events) {
        if (event !== "data: [DONE]") said += JSON.parse(event.slice(6)).choices[0].delta.content ?? "";
      }
    }
    clearInterval(timer);
    draw();
  };
`;
const bundled = buildSync({
  stdin: { contents: PEER, resolveDir: join(here, "..") }, bundle: true, format: "iife", minify: true, write: false,
});
const provider = createServer(async (request, response) => {
  if (request.method === "POST") {
    for await (const piece of request) void piece;
    await stream(response, text);
  } else if (request.url === "/peer") {
    response.setHeader("content-type", "text/html");
    response.end('<!doctype html><meta charset="utf-8"><main id="out"></main><script src="/peer.js"></script>');
  } else if (request.url === "/peer.js") {
    response.setHeader("content-type", "text/javascript");
    response.end(bundled.outputFiles[0].text);
  } else {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => provider.listen(PORT, "127.0.0.1", resolve));

const { origin } = new URL(address);
const ready = (page) => page.waitForSelector("html[data-ready=true]", { state: "attached" });
const context = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath, args, headless: true, viewport: { width: 1440, height: 900 },
});

/** Waits without giving the page much to do. */
const until = (page, is) => page.waitForFunction(is, END, { polling: 500, timeout: 180_000 });

async function ask(page) {
  await page.locator("[data-testid=model-picker]").filter({ hasText: "measured" }).waitFor();
  await page.locator("[data-testid=chat-input]").fill("Tell me much.");
  await page.locator("[data-testid=send-button]").click();
  await until(page, (end) => {
    const [said, coming] = ["message-assistant", "answer-coming"].map((id) => document.querySelector(`[data-testid=${id}]`));
    return said?.textContent.includes(end) && !coming;
  });
}

const arms = {
  async app() {
    const page = await context.newPage();
    await page.goto(`${origin}/ui/chat`);
    await ready(page);
    return { page, act: () => ask(page) };
  },
  async marked() {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${PORT}/peer`);
    const act = async () => {
      await page.evaluate(() => void window.run());
      await until(page, (end) => document.getElementById("out").textContent.includes(end));
    };
    return { page, act };
  },
};

/** Milliseconds of tasks on the main thread while something is done. */
async function measured(arm) {
  const { page, act } = await arm();
  const developer = await context.newCDPSession(page);
  await developer.send("Performance.enable");
  const tasks = async () => (await developer.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const before = await tasks();
  await act();
  const time = (await tasks()) - before;
  await page.close();
  return time * 1_000;
}

const rows = {
  async stream() {
    const page = await context.newPage();
    await page.goto(address);
    await ready(page);
    // The code that draws answers is fetched before anything counts.
    await within(MEASURED, "stream: preparing", ask(page));
    await page.close();
    const results = [];
    for (let at = 0; at < Number(roundsText); at += 1) {
      const order = Object.keys(arms).sort(() => Math.random() - 0.5);
      const round = {};
      for (const arm of order) round[arm] = await within(MEASURED, `stream, round ${at + 1}, ${arm}`, measured(arms[arm]));
      results.push(round);
      console.error(`    round ${at + 1} of ${roundsText}: ${JSON.stringify(round)}`);
    }
    return results;
  },

  async first() {
    const asked = new Set();
    context.on("request", (request) => {
      const url = new URL(request.url());
      // What the service worker fetches for later is not needed now.
      if (url.origin === origin && !request.serviceWorker()) asked.add(url.pathname);
    });
    const page = await context.newPage();
    await page.goto(address);
    await ready(page);
    await within(MEASURED, "the first answer", ask(page));
    return [...asked];
  },
};

await finish(rows[row], async () => {
  await context.close();
  provider.closeAllConnections();
  provider.close();
  rmSync(folder, { recursive: true, force: true });
});
