// Measures from navigation to interactive, for the app and for a static page of twenty lines, in the same run.
//
// usage: node start.mjs APP_URL ROUNDS CHROMIUM [FLAG…]
// Prints [{app: {cold, warm}, peer: {cold, warm}}, …] in milliseconds as JSON. Cold is the first start of a new profile,
// warm the third start of the same one; the browser is closed in between. A page says that it is interactive by
// setting data-drawn="true" on its root element.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

import { finish, within } from "./within.mjs";

const [appUrl, rounds, executablePath, ...args] = process.argv.slice(2);
const STARTS = 3;
/** Seconds that all starts of one page may take. */
const MEASURED = 240;

/** Runs in the page before anything else: notes the time at which it becomes interactive. */
function watchReady() {
  const note = () => {
    if (document.documentElement?.dataset.drawn === "true") globalThis.readyAt ??= performance.now();
  };
  new MutationObserver(note).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-drawn"] });
}

async function startOnce(profile, url) {
  const context = await chromium.launchPersistentContext(profile, { executablePath, args, headless: true });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    await page.addInitScript(watchReady);
    await page.goto(url);
    const ready = await page.waitForFunction(() => globalThis.readyAt, undefined, { timeout: 60_000 });
    const milliseconds = await ready.jsonValue();
    // Let the service worker finish, so that the next start finds what a real second visit would.
    await page.evaluate(async () => {
      if ((await navigator.serviceWorker.getRegistrations()).length > 0) await navigator.serviceWorker.ready;
    });
    return milliseconds;
  } finally {
    await context.close();
  }
}

async function measure(url) {
  const profile = await mkdtemp(join(tmpdir(), "satchel-start-"));
  try {
    const times = [];
    for (let start = 0; start < STARTS; start += 1) times.push(await startOnce(profile, url));
    return { cold: times[0], warm: times[STARTS - 1] };
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

const peerPage = await readFile(new URL("peer.html", import.meta.url));
const peer = createServer((_request, response) => response.setHeader("content-type", "text/html").end(peerPage));
await new Promise((resolve) => peer.listen(0, "127.0.0.1", resolve));
const urls = { app: appUrl, peer: `http://127.0.0.1:${peer.address().port}/` };

await finish(
  async () => {
    const results = [];
    for (let round = 0; round < Number(rounds); round += 1) {
      const order = Math.random() < 0.5 ? ["app", "peer"] : ["peer", "app"];
      const result = {};
      for (const arm of order) result[arm] = await within(MEASURED, `start, round ${round + 1}, ${arm}`, measure(urls[arm]));
      results.push(result);
      console.error(`    round ${round + 1} of ${rounds}: ${JSON.stringify(result)}`);
    }
    return results;
  },
  async () => peer.close(),
);
