// How the service worker waits for a page's answer below /local. Browsers end a service worker's event after five minutes, which no test should wait for: at
// first its own script runs without a browser, over a clock that is set and locks that are handed over by hand; then in one, with less patience.
import { readFileSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

import { DIST, expect, ready, test } from "./harness";
import { install, toolset } from "./toolset";

const SCRIPT = readFileSync(new URL("../../public/service-worker.js", import.meta.url), "utf8");
const ORIGIN = "http://127.0.0.1:8787";
const EXECUTE = "/local/toolsets/mine/execute/count";
const LIFE = "satchel-build-abc/1";

/** A clock that goes on only when it is told to. */
class Clock {
  private now = 0;
  private readonly waiting = new Map<number, { at: number; run: () => void }>();

  readonly setTimeout = (run: (...words: unknown[]) => void, wait: number, ...words: unknown[]): number => {
    const id = this.waiting.size + 1;
    this.waiting.set(id, { at: this.now + wait, run: () => run(...words) });
    return id;
  };
  readonly clearTimeout = (id: number) => void this.waiting.set(id, { at: Infinity, run: () => {} });

  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const [id, { at, run }] of this.waiting) {
      if (at > this.now) continue;
      this.clearTimeout(id);
      run();
    }
  }
}

/** The service worker with one page, which has just been handed a request. */
async function asked(path: string) {
  const clock = new Clock();
  const listeners: Record<string, (event: object) => void> = {};
  const wanted: { name: string; signal: AbortSignal; taken: () => void }[] = [];
  let handOver: (handed: { message: any[]; port: MessagePort }) => void;
  const handed = new Promise<{ message: any[]; port: MessagePort }>((resolve) => (handOver = resolve));
  const page = {
    type: "window",
    frameType: "top-level",
    url: `${ORIGIN}/ui/chat`,
    postMessage: (message: any[], [port]: MessagePort[]) => handOver({ message, port }),
  };
  const self = {
    location: new URL(ORIGIN),
    clients: { get: async () => page },
    addEventListener: (name: string, listener: (event: object) => void) => (listeners[name] = listener),
  };
  const locks = {
    request: (name: string, { signal }: { signal: AbortSignal }, taken: () => void) => {
      wanted.push({ name, signal, taken });
      return new Promise(() => {});
    },
  };
  const { setTimeout, clearTimeout } = clock;
  const globals = { self, navigator: { locks }, setTimeout, clearTimeout, URL, Response, ReadableStream, MessageChannel, AbortController };
  runInContext(SCRIPT.replace("const BUILD = null;", 'const BUILD = { build: "abc", files: [], headers: {} };'), createContext(globals));

  let answer: Promise<Response> | undefined;
  const request = { url: ORIGIN + path, method: "POST", mode: "cors", destination: "", arrayBuffer: async () => new ArrayBuffer(2) };
  listeners.fetch({ request, clientId: "1", respondWith: (given: Promise<Response>) => (answer = given) });
  const { message, port } = await handed;
  expect(message.slice(0, 3)).toEqual(["local", "POST", path]);
  /** What the page says comes by a channel, which has turns of its own. */
  const says = async (word: unknown) => {
    const before = wanted.length;
    port.postMessage(word);
    await expect.poll(() => wanted.length > before || Array.isArray(word) && word[0] !== "heard").toBe(true);
  };
  return { clock, answer: answer!, says, wanted, end: () => port.close() };
}

const JSON_HEADERS = [["content-type", "application/json"]];
const bytes = (text: string) => new TextEncoder().encode(text);

test("the answer to a run is waited for as long as the page lives", async () => {
  const { clock, answer, says, wanted, end } = await asked(EXECUTE);
  await says(["heard", LIFE, true]);
  expect(wanted.map(({ name }) => name)).toEqual([LIFE]);
  clock.pass(240_000);
  // The browser's own limit is five minutes: by then the answer has begun, as JSON that becomes no page.
  const response = await answer;
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  clock.pass(3_600_000);
  await says([200, JSON_HEADERS, bytes('{"tool_call_id":"1","result":{}}')]);
  expect(await response.json()).toEqual({ tool_call_id: "1", result: {} });
  expect(wanted[0].signal.aborted, "nobody waits for the page's end any more").toBe(true);
  end();
});

test("an answer that comes in time has its own status", async () => {
  const { clock, answer, says, end } = await asked(EXECUTE);
  await says(["heard", LIFE, true]);
  clock.pass(239_000);
  await says([409, JSON_HEADERS, bytes('{"error":{"code":"approval_required"}}')]);
  const response = await answer;
  expect([response.status, await response.json()]).toEqual([409, { error: { code: "approval_required" } }]);
  end();
});

test("a page that is gone is noticed at once", async () => {
  const early = await asked(EXECUTE);
  await early.says(["heard", LIFE, true]);
  early.wanted[0].taken();
  const response = await early.answer;
  expect([response.status, await response.json()]).toEqual([503, { error: { code: "no_answer", message: "the page that asked is gone" } }]);
  early.end();

  const late = await asked(EXECUTE);
  await late.says(["heard", LIFE, true]);
  late.clock.pass(240_000);
  const begun = await late.answer;
  late.wanted[0].taken();
  await expect(begun.text()).rejects.toThrow("the page that asked is gone");
  late.end();
});

test("a page that does not hear, and an answer that takes too long, are told", async () => {
  const deaf = await asked(EXECUTE);
  deaf.clock.pass(10_000);
  expect([(await deaf.answer).status, (await (await deaf.answer).json()).error.code]).toEqual([503, "no_answer"]);
  deaf.end();

  const slow = await asked("/local/chats");
  await slow.says(["heard", LIFE, false]);
  slow.clock.pass(240_000);
  const response = await slow.answer;
  expect([response.status, (await response.json()).error.message]).toEqual([503, expect.stringContaining("may still be done")]);
  slow.end();
});

/** A copy of the app whose service worker begins the answer to a run after one second. */
async function impatient(folder: string): Promise<string> {
  const app = join(folder, "impatient");
  await cp(DIST, app, { recursive: true });
  const text = (await readFile(join(app, "service-worker.js"), "utf8")).replace("ANSWERED = 240_000;", "ANSWERED = 1_000;");
  expect(text).toContain("ANSWERED = 1_000;");
  await writeFile(join(app, "service-worker.js"), text);
  await rm(join(app, "service-worker.js.br"), { force: true });
  const description = JSON.parse(await readFile(join(app, "satchel-build.json"), "utf8"));
  const entry = description.files.find(({ path }: { path: string }) => path === "/service-worker.js");
  Object.assign(entry, { bytes: Buffer.byteLength(text), br_bytes: null });
  await writeFile(join(app, "satchel-build.json"), JSON.stringify(description));
  return app;
}

test("a page gets the answer to a run whose beginning came long before", async ({ page, satchel, folder }) => {
  await satchel.stop();
  await satchel.start(await impatient(folder));
  await page.goto(satchel.origin);
  await ready(page);
  const source = 'import time\n\ndef slow(workspace):\n    time.sleep(3)\n    return {"slept": 3}\n';
  await install(page, toolset("sleeper", [{ name: "slow", source }]));
  const answer = await page.evaluate(async () => {
    const body = JSON.stringify({ tool_call_id: "1", params: {} });
    const response = await fetch("/local/toolsets/sleeper/execute/slow", { method: "POST", body });
    const begun = performance.now();
    const answer = await response.json();
    return { status: response.status, waited: performance.now() - begun, answer };
  });
  expect(answer).toMatchObject({ status: 200, answer: { tool_call_id: "1", result: { slept: 3 } } });
  expect(answer.waited, "milliseconds between its beginning and its end").toBeGreaterThan(500);
});
