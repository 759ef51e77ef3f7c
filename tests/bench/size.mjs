// What a new browser asks the app's server for by itself, when the chat is opened and left alone.
//
// usage: node size.mjs ADDRESS CHROMIUM [FLAG…]
// Prints {first: [path, …], after: […], worker: […], kept: […]} as JSON: before the chat could be used (data-drawn on the root element), by the page after that,
// by the page's core worker, and by the service worker, which stores the app for a start without a network. A path is in the first list that it belongs to.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

import { finish, within } from "./within.mjs";

const [address, executablePath, ...args] = process.argv.slice(2);
const { origin } = new URL(address);
/** Where the core worker's own files are. */
const WORKER = "/vendor/core-worker-";
/** Milliseconds without a request after which nothing more comes; the core worker is wanted half a minute after the start at the latest. */
const QUIET = 40_000;

const folder = mkdtempSync(join(tmpdir(), "satchel-size-"));
const context = await chromium.launchPersistentContext(folder, { executablePath, args, headless: true });

/** Runs in the page before anything else: notes the time from which on it can be used. */
function watchDrawn() {
  performance.setResourceTimingBufferSize(10_000);
  const note = () => {
    if (document.documentElement?.dataset.drawn === "true") globalThis.drawnAt ??= performance.now();
  };
  new MutationObserver(note).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-drawn"] });
}

async function measure() {
  const [asked, kept] = [new Set(), new Set()];
  let last = Date.now();
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin) return;
    last = Date.now();
    (request.serviceWorker() ? kept : asked).add(url.pathname);
  });
  const page = context.pages()[0] ?? (await context.newPage());
  await page.addInitScript(watchDrawn);
  await page.goto(address);
  await page.waitForSelector("html[data-ready=true]", { state: "attached", timeout: 60_000 });
  while (Date.now() - last < QUIET) await page.waitForTimeout(500);

  const early = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter(({ startTime }) => startTime < globalThis.drawnAt)
      .map(({ name }) => new URL(name).pathname),
  );
  const isWorkers = (path) => path.startsWith(WORKER);
  const first = ["/index.html", ...early.filter((path) => !isWorkers(path))];
  const later = [...asked].filter((path) => !first.includes(path));
  const [worker, after] = [later.filter(isWorkers), later.filter((path) => !isWorkers(path))];
  return { first, after, worker, kept: [...kept].filter((path) => !first.includes(path) && !later.includes(path)) };
}

await finish(() => within(240, "size", measure()), async () => {
  await context.close();
  rmSync(folder, { recursive: true, force: true });
});
