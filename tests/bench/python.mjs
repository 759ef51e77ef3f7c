// Measures Python tools in the real app, against what one would have without it.
//
// usage: node python.mjs ROW COUNT ROUNDS CHROMIUM ORIGIN [FLAG…]
// Prints [{arm: milliseconds, …}, …] as JSON, a round each; the arms take turns in random order. An arm that failed is null, and its
// reason goes to standard error. Rows:
//   first        a warm profile (its third start), from navigation to the first result of Python; the peer is a page that loads Pyodide
//   call         COUNT calls that do nothing, beyond the time that Python itself took; the peer is a worker that runs the same by runPython
//   materialise  COUNT files of 4 KB into a cage that has none; the peer is a checkout by isomorphic-git onto its own file system
//   long_tasks   a run over COUNT files that rewrites all of them: the longest that the main thread was held; once in a chat that has run
//                before, and once as the first run of a fresh one, whose files are laid out for it, with the pane of files open
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { buildSync } from "esbuild";

import { finish, Late, within } from "./within.mjs";

const [row, countText, roundsText, executablePath, origin, ...args] = process.argv.slice(2);
const ROUNDS = Number(roundsText);
const COUNT = Number(countText);
/** Seconds that filling a profile, and one arm of a round, may take. */
const [PREPARED, MEASURED] = [900, 300];
const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "../node_modules");
const folder = mkdtempSync(join(tmpdir(), "satchel-python-"));

const MANIFEST = `manifest_version: "1"
id: measured
name: Measured
version: "1.0.0"
description: What is measured
tools:
  - {id: nothing, description: Does nothing, entrypoint: "tools.work:nothing", input_schema: {type: object}}
  - {id: rewrite, description: Rewrites every file, entrypoint: "tools.work:rewrite", input_schema: {type: object}}
`;
const SOURCE = `
def nothing(workspace):
    return {}

def rewrite(workspace):
    count = 0
    for path in sorted(workspace.rglob("*.txt")):
        path.write_bytes(path.read_bytes()[::-1])
        count += 1
    return {"count": count}
`;

/** The peers' own host: Pyodide as its package has it, and a script for each peer. */
const git = () =>
  buildSync({
    stdin: { contents: 'export { default as git } from "isomorphic-git"; export { default as FS } from "@isomorphic-git/lightning-fs"; export { Buffer } from "buffer";', resolveDir: modules },
    bundle: true, format: "esm", write: false, platform: "browser", define: { global: "globalThis" },
  }).outputFiles[0].text;
const served = { "/": "<!doctype html><title>Peer</title>", "/git.js": row === "materialise" ? git() : "" };
const peer = createServer((request, response) => {
  const path = new URL(request.url, "http://peer").pathname;
  if (path in served) return response.setHeader("content-type", path === "/" ? "text/html" : "text/javascript").end(served[path]);
  if (!/^\/pyodide\/[\w.-]+$/.test(path)) return response.writeHead(404).end();
  const type = path.endsWith(".wasm") ? "application/wasm" : path.endsWith("js") ? "text/javascript" : "application/octet-stream";
  response.setHeader("content-type", type).setHeader("cache-control", "max-age=31536000, immutable");
  response.end(readFileSync(join(modules, path)));
});
await new Promise((resolve) => peer.listen(0, "127.0.0.1", resolve));
const peerOrigin = `http://127.0.0.1:${peer.address().port}`;

const contexts = [];
async function open(name) {
  const context = await chromium.launchPersistentContext(join(folder, name), { executablePath, args, headless: true });
  contexts.push(context);
  return context;
}
async function tab(context, address) {
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(0);
  await page.goto(address);
  return page;
}
async function app(context) {
  const page = await tab(context, `${origin}/ui/chat`);
  await page.waitForSelector("html[data-ready=true]", { state: "attached" });
  return page;
}

/** The journeys' own writer of bundles, which is TypeScript. */
async function bundle() {
  const file = join(folder, "bundle.mjs");
  buildSync({ entryPoints: [join(here, "../journeys/bundle.ts")], bundle: true, format: "esm", platform: "node", outfile: file });
  const { zip } = await import(pathToFileURL(file));
  return zip([{ path: "toolset.yaml", text: MANIFEST }, { path: "tools/work.py", text: SOURCE }]);
}

/** Installs what is measured. */
async function install(page) {
  const bytes = (await bundle()).toString("base64");
  await page.evaluate(async (bytes) => {
    const body = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
    const answer = await fetch("/local/toolsets/import", { method: "POST", body });
    if (answer.status !== 201) throw new Error(await answer.text());
  }, bytes);
}

/** Runs in the app's page: executes a tool, and gives the time from asking to the answer. */
function executeTimed([tool, chat]) {
  const body = JSON.stringify({ tool_call_id: crypto.randomUUID(), params: {}, chat_id: chat });
  const started = performance.now();
  return fetch(`/local/toolsets/measured/execute/${tool}`, { method: "POST", body }).then(async (answer) => {
    const { error } = await answer.json();
    if (error) throw new Error(JSON.stringify(error));
    return performance.now() - started;
  });
}
const newChat = (page) =>
  page.evaluate(async () => (await (await fetch("/local/chats", { method: "POST", body: "{}" })).json()).id);

const median = (times) => times.toSorted((one, other) => one - other)[times.length >> 1];

/** Runs in the app's page before anything else: the first result of Python, counted from the navigation. */
function watchFirst() {
  const look = async () => {
    if (document.documentElement?.dataset.ready !== "true" || globalThis.asked) return;
    globalThis.asked = true;
    const body = JSON.stringify({ tool_call_id: crypto.randomUUID(), params: {} });
    const answer = await fetch("/local/toolsets/measured/execute/nothing", { method: "POST", body });
    const { error } = await answer.json();
    globalThis.firstResult = error ? JSON.stringify(error) : performance.now();
  };
  new MutationObserver(look).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });
}

/** Runs in the peer's page: loads Pyodide as its documentation says. */
async function loadBare() {
  const { loadPyodide } = await import("/pyodide/pyodide.mjs");
  const python = await loadPyodide({ indexURL: "/pyodide/" });
  python.runPython("{}");
  return performance.now();
}

/** A worker that loads Pyodide and answers each message by a call; its own time and Python's come back. */
const BARE_WORKER = `
import { loadPyodide } from "${peerOrigin}/pyodide/pyodide.mjs";
const python = await loadPyodide({ indexURL: "${peerOrigin}/pyodide/" });
python.runPython("def nothing(workspace):\\n    return {}");
onmessage = () => {
  const started = performance.now();
  python.runPython("nothing(None)");
  postMessage(performance.now() - started);
};
postMessage("ready");`;

/** What each row needs before its rounds, and its arms. */
const rows = {
  async first() {
    const page = await app(await open("app"));
    await install(page);
    await page.evaluate(executeTimed, ["nothing", undefined]);
    // Everything that a later visit finds is to be kept by now.
    await page.waitForTimeout(5_000);
    await page.context().close();
    const started = async (name, address, arm) => {
      const context = await open(name);
      try {
        const page = context.pages()[0] ?? (await context.newPage());
        page.setDefaultTimeout(0);
        return await arm(page, address);
      } finally {
        await context.close();
      }
    };
    const ours = async (page) => {
      await page.addInitScript(watchFirst);
      await page.goto(`${origin}/ui/chat`);
      const found = await (await page.waitForFunction(() => globalThis.firstResult)).jsonValue();
      if (typeof found !== "number") throw new Error(found);
      return found;
    };
    const bare = async (page) => {
      await page.goto(peerOrigin);
      return page.evaluate(loadBare);
    };
    for (const name of ["app", "bare"]) {
      for (let warm = 0; warm < 2; warm += 1) await started(name, "", name === "app" ? ours : bare);
    }
    return { app: () => started("app", "", ours), bare: () => started("bare", "", bare) };
  },

  async call() {
    const page = await app(await open("app"));
    await install(page);
    const chat = await newChat(page);
    for (let warm = 0; warm < 5; warm += 1) await page.evaluate(executeTimed, ["nothing", chat]);
    const other = await tab(await open("bare"), peerOrigin);
    await other.evaluate(async (source) => {
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      globalThis.bare = new Worker(address, { type: "module" });
      await new Promise((resolve) => (globalThis.bare.onmessage = resolve));
    }, BARE_WORKER);
    const calls = async (arm) => {
      const times = [];
      for (let call = 0; call < COUNT; call += 1) times.push(await arm());
      return median(times);
    };
    return {
      app: () => calls(() => page.evaluate(executeTimed, ["nothing", chat])),
      bare: () =>
        calls(() =>
          other.evaluate(async () => {
            const started = performance.now();
            const answer = new Promise((resolve) => (globalThis.bare.onmessage = resolve));
            globalThis.bare.postMessage("");
            await answer;
            return performance.now() - started;
          }),
        ),
    };
  },

  async materialise() {
    const page = await app(await open("app"));
    await install(page);
    const fill = (chat, files) =>
      page.evaluate(
        async ([chat, files]) => {
          for (let file = 0; file < files; file += 1) {
            const body = crypto.getRandomValues(new Uint8Array(4096));
            await fetch(`/local/chats/${chat}/workspace/files/f${file % 10}/${file}.txt`, { method: "PUT", body });
          }
        },
        [chat, files],
      );
    // A session of its own each time, so that the cage has no files; the time of the same with one file is taken off.
    const full = await newChat(page);
    await fill(full, COUNT);
    const few = await newChat(page);
    await fill(few, 1);
    const fresh = async (chat) => {
      // Two other sessions and a third push the chat's own cage out, and the spare is ready again.
      for (let other = 0; other < 3; other += 1) await page.evaluate(executeTimed, ["nothing", await newChat(page)]);
      await page.waitForTimeout(6_000);
      return page.evaluate(executeTimed, ["nothing", chat]);
    };
    const other = await tab(await open("bare"), peerOrigin);
    await other.evaluate(async (files) => {
      const { git, FS, Buffer } = await import("/git.js");
      globalThis.Buffer = Buffer;
      const fs = new FS("peer");
      Object.assign(globalThis, { git, fs });
      await fs.promises.mkdir("/repo");
      await git.init({ fs, dir: "/repo" });
      for (let folder = 0; folder < 10; folder += 1) await fs.promises.mkdir(`/repo/f${folder}`);
      for (let file = 0; file < files; file += 1) {
        const path = `f${file % 10}/${file}.txt`;
        await fs.promises.writeFile(`/repo/${path}`, crypto.getRandomValues(new Uint8Array(4096)));
      }
      await git.add({ fs, dir: "/repo", filepath: "." });
      await git.commit({ fs, dir: "/repo", message: "files", author: { name: "peer", email: "peer@example.com" } });
    }, COUNT);
    return {
      app: async () => Math.max(0.1, (await fresh(full)) - (await fresh(few))),
      isomorphic_git: () =>
        other.evaluate(async () => {
          for (let folder = 0; folder < 10; folder += 1) {
            for (const name of await fs.promises.readdir(`/repo/f${folder}`)) await fs.promises.unlink(`/repo/f${folder}/${name}`);
          }
          const started = performance.now();
          await git.checkout({ fs, dir: "/repo", force: true });
          return performance.now() - started;
        }),
    };
  },

  async long_tasks() {
    const page = await app(await open("app"));
    // Wide enough for the pane of files beside the chat.
    await page.setViewportSize({ width: 1440, height: 900 });
    await install(page);
    /** A chat with files that no tool has seen, on the screen. */
    const filled = async () => {
      const chat = await newChat(page);
      await page.evaluate(
        async ([chat, files]) => {
          for (let file = 0; file < files; file += 1) {
            const body = crypto.getRandomValues(new Uint8Array(4096));
            await fetch(`/local/chats/${chat}/workspace/files/${file}.txt`, { method: "PUT", body });
          }
        },
        [chat, COUNT],
      );
      await show(chat);
      return chat;
    };
    const show = async (chat) => {
      await page.goto(`${origin}/ui/chat/${chat}`);
      await page.waitForSelector("html[data-ready=true]", { state: "attached" });
      await page.waitForSelector("[data-testid=workspace-panel]");
      await page.waitForTimeout(3_000);
    };
    const longest = async (chat) => {
      const found = await page.evaluate(async (chat) => {
        let longest = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
        });
        observer.observe({ type: "longtask" });
        const body = JSON.stringify({ tool_call_id: crypto.randomUUID(), params: {}, chat_id: chat });
        await (await fetch("/local/toolsets/measured/execute/rewrite", { method: "POST", body })).json();
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        observer.disconnect();
        return longest;
      }, chat);
      // The browser tells of tasks from 50 ms on, so that any is one too many.
      if (found > 0) console.error(`    ! the main thread was held for ${Math.round(found)} ms`);
      return found;
    };
    const used = await filled();
    await page.evaluate(executeTimed, ["rewrite", used]);
    return {
      app: async () => {
        await show(used);
        return longest(used);
      },
      app_fresh_chat: async () => longest(await filled()),
    };
  },
};

await finish(
  async () => {
    const arms = await within(PREPARED, `${row}: preparing`, rows[row]());
    const results = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = Object.keys(arms).sort(() => Math.random() - 0.5);
      const result = {};
      for (const arm of order) {
        try {
          result[arm] = await within(MEASURED, `${row}, round ${round + 1}, ${arm}`, arms[arm]());
        } catch (error) {
          // What hangs would hang again.
          if (error instanceof Late) throw error;
          result[arm] = null;
          console.error(`    ${arm}: ${error}`);
        }
      }
      results.push(result);
      console.error(`    round ${round + 1} of ${ROUNDS}: ${JSON.stringify(result)}`);
    }
    return results;
  },
  async () => {
    for (const context of contexts) await context.close();
    peer.close();
    rmSync(folder, { recursive: true, force: true });
  },
);
