// Measures the app's work with files, stored and in memory, against what one would use instead.
//
// usage: node data.mjs ROW FILES ROUNDS CHROMIUM WASM_FOLDER [FLAG…]
// Prints [{arm: milliseconds, …}, …] as JSON, a round each; the arms take turns in random order. An arm that failed is null, and
// its reason goes to standard error.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as askFar } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

import { finish, Late, within } from "./within.mjs";

const [row, filesText, roundsText, executablePath, wasmFolder, ...args] = process.argv.slice(2);
const FILES = Number(filesText);
const ROUNDS = Number(roundsText);
const FILE_BYTES = 4096;
const CHANGED = 10;
/** Seconds that laying out what is measured, and one arm of a round, may take. The largest rows have a hundred times the files. */
const [PREPARED, MEASURED] = [3_600, 1_800];
/** So much is hashed again after a tool has run, so that a forged time of change hides nothing. */
const REHASHED_BYTES = 64 << 20;

/** Connections to the server of sync stay open. */
const agent = new Agent({ keepAlive: true });

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "satchel-data-"));
let bundle;
let tar;

const served = {
  "/": [join(here, "data.html"), "text/html"],
  "/data_page.js": [join(here, "data_page.js"), "text/javascript"],
  "/hash-wasm.js": [join(here, "../node_modules/hash-wasm/dist/index.esm.js"), "text/javascript"],
  "/satchel-bench.js": [join(wasmFolder, "satchel-bench.js"), "text/javascript"],
  "/satchel-bench_bg.wasm": [join(wasmFolder, "satchel-bench_bg.wasm"), "application/wasm"],
};
const server = createServer(async (request, response) => {
  if (request.url === "/bundle" && request.method === "PUT") {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    bundle = Buffer.concat(pieces);
    return response.end();
  }
  if (request.url === "/bundle") return response.end(bundle);
  if (request.url === "/tar" || request.url.startsWith("/api/")) return far(request, response);
  // What wasm-bindgen puts beside the script.
  const known = served[request.url] ?? (/^\/snippets\/[\w./-]+\.js$/.test(request.url) && [join(wasmFolder, request.url), "text/javascript"]);
  if (!known) return response.writeHead(404).end();
  response.setHeader("content-type", known[1]).end(readFileSync(known[0]));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

const context = await chromium.launchPersistentContext(join(folder, "profile"), { executablePath, args, headless: true });
const page = context.pages()[0] ?? (await context.newPage());
page.on("console", (message) => message.type() === "error" && console.error(`    ${message.text()}`));
page.on("pageerror", (error) => console.error(`    ${error}`));
await page.goto(address);
await page.waitForSelector("html[data-ready=true]", { state: "attached" });
page.setDefaultTimeout(0);

const ask = (errand) => page.evaluate((errand) => data.ask(errand).then(() => {}), errand);
const timed = (errand) => page.evaluate((errand) => data.timed(errand), errand);

/** The time a program takes, started like any other from a shell. */
function program(script, cwd) {
  const started = performance.now();
  const ended = spawnSync("sh", ["-c", script], { cwd, encoding: "utf8" });
  const milliseconds = performance.now() - started;
  if (ended.status !== 0) throw new Error(ended.stderr || String(ended.error));
  return milliseconds;
}

/** The same of a program that asks this process for something, and so cannot be waited for in the same way. */
async function programBeside(script, cwd) {
  const started = performance.now();
  const running = spawn("sh", ["-c", script], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  const status = await new Promise((resolve) => running.on("close", resolve));
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
  return performance.now() - started;
}

const pathOf = (number) => `folder-${String(Math.floor(number / 100)).padStart(4, "0")}/file-${String(number).padStart(6, "0")}.txt`;
const content = (number, version) => `${number} ${version} `.padEnd(FILE_BYTES, `${number}${version}`);

function writeFiles(repository) {
  for (let number = 0; number < FILES; number += 1) {
    const path = join(repository, pathOf(number));
    if (number % 100 === 0) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content(number, 0));
  }
  program("git init --quiet .", repository);
}

const SNAPSHOT = "git add -A && git write-tree";

/** Files of which ten change: those that every hundredth, or thousandth, of them is. */
async function changed() {
  const repository = join(folder, "repository");
  mkdirSync(repository);
  writeFiles(repository);
  program(SNAPSHOT, repository);
  await ask({ do: "open", name: "measured" });
  await ask({ do: "fill", files: FILES, bytes: FILE_BYTES });
  const step = FILES / CHANGED;
  let version = 0;
  const make = (first, count, step) => ask({ do: "make", first, count, step, bytes: FILE_BYTES, version });
  const arms = {
    async app() {
      version += 1;
      await make(version % step, CHANGED, step);
      return timed({ do: "snapshot" });
    },
    git() {
      version += 1;
      for (let at = 0; at < CHANGED; at += 1) writeFileSync(join(repository, pathOf((version % step) + at * step)), content(at, version));
      return program(SNAPSHOT, repository);
    },
  };
  if (FILES * FILE_BYTES <= REHASHED_BYTES) {
    arms.app_rehashing = async () => {
      version += 1;
      await make(0, FILES, 1);
      const hashing = await timed({ do: "hash", by: "app" });
      await make(version % step, CHANGED, step);
      return hashing + (await timed({ do: "snapshot" }));
    };
  }
  return arms;
}

/** Files that are all new. */
async function fresh() {
  let version = 0;
  return {
    async app() {
      version += 1;
      await ask({ do: "open", name: "measured" });
      await ask({ do: "make", first: 0, count: FILES, step: 1, bytes: FILE_BYTES, version });
      return timed({ do: "snapshot" });
    },
    git() {
      version += 1;
      const repository = join(folder, `repository-${version}`);
      mkdirSync(repository);
      writeFiles(repository);
      const milliseconds = program(SNAPSHOT, repository);
      rmSync(repository, { recursive: true });
      return milliseconds;
    },
  };
}

/** Many small contents, or few large ones. */
async function hash() {
  const bytes = FILES > 1_000 ? FILE_BYTES : 10_000_000;
  await ask({ do: "make", first: 0, count: FILES, step: 1, bytes, version: 1 });
  await page.evaluate(([count, bytes]) => data.makePieces(count, bytes), [FILES, bytes]);
  return {
    app: () => timed({ do: "hash", by: "app" }),
    sha2: () => timed({ do: "hash", by: "sha2" }),
    subtle: () => page.evaluate(() => data.hash("subtle")),
    hash_wasm: () => page.evaluate(() => data.hash("hash_wasm")),
  };
}

/** Contents that have their names already, and a manifest. */
async function store() {
  await ask({ do: "open", name: "measured" });
  let version = 0;
  return {
    async app() {
      version += 1;
      await ask({ do: "open", name: "measured" });
      await ask({ do: "make", first: 0, count: FILES, step: 1, bytes: FILE_BYTES, version });
      await ask({ do: "prepare" });
      return timed({ do: "store" });
    },
    async by_hand() {
      version += 1;
      await page.evaluate((given) => data.prepareByHand(...given), ["by-hand", FILES, FILE_BYTES]);
      return page.evaluate((version) => data.storeByHand(version), version);
    },
  };
}

/** A bundle of 20 MB, from its bytes to tools that can be listed. */
async function bring() {
  await ask({ do: "make", first: 0, count: FILES, step: 1, bytes: 20_000_000 / FILES, version: 1 });
  await page.evaluate((address) => data.makeBundle(address), `${address}bundle`);
  writeFileSync(join(folder, "bundle.zip"), bundle);
  console.error(`    the bundle has ${bundle.length} bytes`);
  let round = 0;
  return {
    async app() {
      round += 1;
      await ask({ do: "open", name: `measured-${round}` });
      return page.evaluate((address) => data.import(address), `${address}bundle`);
    },
    unzip() {
      round += 1;
      const milliseconds = program(`unzip -q bundle.zip -d unpacked-${round}`, folder);
      rmSync(join(folder, `unpacked-${round}`), { recursive: true });
      return milliseconds;
    },
  };
}

/** A host that is far away: what is asked takes half of the time to get there, and the answer the other half. */
const HALF_WAY = 25;
const SYNC_SERVER = process.env.SATCHEL_SYNC_SERVER;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
async function far(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  await wait(HALF_WAY);
  if (request.url === "/tar") {
    await wait(HALF_WAY);
    return response.end(tar);
  }
  const { authorization, "content-type": kind } = request.headers;
  const asked = askFar(`${SYNC_SERVER}${request.url}`, { method: request.method, headers: { authorization, "content-type": kind }, agent });
  asked.on("response", async (answer) => {
    const pieces = [];
    for await (const piece of answer) pieces.push(piece);
    await wait(HALF_WAY);
    response.writeHead(answer.statusCode, answer.headers).end(Buffer.concat(pieces));
  });
  asked.on("error", () => response.writeHead(502).end());
  asked.end(Buffer.concat(pieces));
}

/** FILES rows, with a fifth as many files of 20 KB: from a device that has them to the server, and from there to one that has nothing. */
async function sync() {
  const [blobs, blobBytes] = [FILES / 5, 20_000];
  const given = { do: "sync", href: `${address}api/v1/sync`, token: process.env.SATCHEL_SYNC_TOKEN };
  tar = Buffer.alloc(blobs * blobBytes + FILES * 300, "x");
  await ask({ do: "open", name: "first" });
  await ask({ do: "fill", files: blobs, bytes: blobBytes });
  await ask({ do: "talk", rows: FILES });
  const sent = await timed({ ...given, sends: FILES, receives: 0 });
  console.error(`    the first device sent everything in ${sent.toFixed(0)} ms`);
  let device = 0;
  return {
    async app() {
      device += 1;
      await ask({ do: "open", name: `device-${device}` });
      return timed({ ...given, sends: 0, receives: 1 });
    },
    curl: () => programBeside(`curl --silent --fail --output fetched.tar ${address}tar`, folder),
  };
}

/** The list of tools of many MCP servers, from what is loaded of them. */
async function tools() {
  await ask({ do: "open", name: "measured" });
  await ask({ do: "servers", count: FILES });
  return { app: () => timed({ do: "tools" }) };
}

/** A saved toolset over the tools of 50 MCP servers with 40 tools each. */
async function resolve() {
  await ask({ do: "open", name: "measured" });
  await ask({ do: "servers", count: 50 });
  await ask({ do: "saved", count: FILES });
  return { app: () => timed({ do: "resolve" }) };
}

/** A search of many tools, each of several queries in its turn. */
async function shelf() {
  await ask({ do: "open", name: "measured" });
  await ask({ do: "shelve", count: FILES });
  const arm = (query, least) => () => timed({ do: "find", query, least });
  return { app_prefix: arm("tool 12", 100), app_word: arm("weather", FILES), app_fuzzy: arm("tol 12", 100), app_none: arm("zzzz", 0) };
}

/** Calls of an HTTP tool, but for the request itself. */
async function calls() {
  await ask({ do: "open", name: "measured" });
  return { app: () => timed({ do: "calls", count: FILES }) };
}

await finish(
  async () => {
    const rows = { changed, fresh, hash, store, import: bring, tools, resolve, shelf, calls, sync };
    const arms = await within(PREPARED, `${row}: preparing`, rows[row]());
    const results = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = Object.keys(arms)
        .map((arm) => [Math.random(), arm])
        .sort(([a], [b]) => a - b);
      const result = {};
      for (const [, arm] of order) {
        try {
          result[arm] = await within(MEASURED, `${row}, round ${round + 1}, ${arm}`, arms[arm]());
        } catch (error) {
          // What hangs would hang again.
          if (error instanceof Late) throw error;
          console.error(`    ${arm} failed: ${error.message}`);
          result[arm] = null;
        }
      }
      results.push(result);
      console.error(`    round ${round + 1} of ${ROUNDS}: ${JSON.stringify(result)}`);
    }
    return results;
  },
  async () => {
    await context.close();
    agent.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  },
);
