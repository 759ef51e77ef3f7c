// What the tests of the cage's inside start from: a page of the app's origin that speaks the protocol, and cages in it.
import { test as base, type BrowserContext, type Page } from "@playwright/test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Canary, expect, freePort, Profile, Satchel } from "../journeys/harness";

export { expect };

/** What `/cage.html` was told and said: files by path, as text. */
export type Files = Record<string, string | Uint8Array>;

export interface Outcome {
  type: "result" | "error";
  value?: any;
  failure?: string;
  message?: string;
  traceback?: string;
}

export interface Returned {
  type: string;
  message?: string;
  outcome: Outcome;
  removed: string[];
  unread: { path: string; reason: string }[];
  python_millis: number;
  millis: number;
  /** Output and displays in their order. */
  said: { type: string; stream?: string; text?: string; bundle?: Record<string, string>; at: number }[];
  /** Bytes of each piece of changed files. */
  pieces: number[];
  /** Contents as text; of a large file its size. */
  changed: Record<string, string>;
  stdout: string;
  stderr: string;
}

const LIMITS = { output_limit: 1_048_576, overflow_path: ".satchel/results/call.log", file_limit: 20_000, file_bytes_limit: 104_857_600 };

const encoded = (files: Files) =>
  Object.entries(files).map(([path, contents]) => [path, Buffer.from(contents).toString("base64")] as const);

declare const cagePage: any;

/** A running cage. */
export class Cage {
  private constructor(
    readonly page: Page,
    readonly id: number,
    readonly ready: { type: string; python: string; load_millis: number; can_wait: boolean; message?: string },
  ) {}

  static async open(page: Page): Promise<Cage> {
    const { id, ready } = await page.evaluate(() => cagePage.open());
    return new Cage(page, id, ready);
  }

  /** A cage with this toolset in it. */
  static async with(page: Page, files: Files, wheels: Files = {}): Promise<Cage> {
    const cage = await Cage.open(page);
    expect(await cage.equip(files, wheels)).toEqual({ type: "done", request: 1 });
    return cage;
  }

  equip(files: Files, wheels: Files = {}): Promise<any> {
    return this.page.evaluate(([id, files, wheels]) => cagePage.equip(id, files, wheels), [this.id, encoded(files), encoded(wheels)] as const);
  }

  materialise(write: Files, remove: string[] = []): Promise<any> {
    return this.page.evaluate(([id, write, remove]) => cagePage.materialise(id, write, remove), [this.id, encoded(write), remove] as const);
  }

  /** Calls a function. `args` may be a JSON text, where it matters how a number is written. */
  async call(entrypoint: string, args: object | string = {}, limits: Partial<typeof LIMITS> = {}): Promise<Returned> {
    const context = { chat_id: "a-chat", toolset_id: "a-toolset", tool_call_id: "a-call" };
    const message = JSON.stringify({ type: "call", request: 0, entrypoint, context, ...LIMITS, ...limits });
    const text = `${message.slice(0, -1)},"arguments":${typeof args === "string" ? args : JSON.stringify(args)}}`;
    const returned = await this.page.evaluate(([id, text]) => cagePage.call(id, text), [this.id, text] as const);
    const read = (base64: string) => (base64.endsWith(" bytes") ? base64 : Buffer.from(base64, "base64").toString());
    const written = (stream: string) => returned.said.filter((each: any) => each.stream === stream).map((each: any) => each.text).join("");
    returned.changed = Object.fromEntries(returned.changed.map(([path, base64]: [string, string]) => [path, read(base64)]));
    return { ...returned, stdout: written("stdout"), stderr: written("stderr") };
  }

  /** Calls a function that has to give a result. */
  async result(entrypoint: string, args: object | string = {}): Promise<any> {
    const { outcome } = await this.call(entrypoint, args);
    expect(outcome, outcome.traceback).toHaveProperty("type", "result");
    return outcome.value;
  }

  plain(message: object): Promise<any> {
    return this.page.evaluate(([id, message]) => cagePage.plain(id, message), [this.id, message] as const);
  }

  /** Runs Python and gives what it leaves in `result`. */
  async evaluate(source: string, given: object = {}): Promise<any> {
    const answer = await this.plain({ type: "evaluate", source, arguments: JSON.stringify(given) });
    expect(answer, answer.traceback).toHaveProperty("type", "evaluated");
    return JSON.parse(answer.result);
  }

  /** What the app will answer for each address; every other one is refused. */
  hosts(hosts: Record<string, { status?: number; status_text?: string; headers?: [string, string][]; body?: string }>): Promise<void> {
    return this.page.evaluate(([id, hosts]) => cagePage.hosts(id, hosts), [this.id, hosts] as const);
  }

  fetches(): Promise<{ method: string; url: string; headers: [string, string][]; body: string }[]> {
    return this.page.evaluate((id) => cagePage.fetches(id), this.id);
  }

  close(): Promise<void> {
    return this.page.evaluate((id) => cagePage.close(id), this.id);
  }
}

/** A page of the app's origin with nothing of the app in it, ready to open cages. */
async function preparedPage(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/satchel-build.json`);
  await page.evaluate(await readFile(join(import.meta.dirname, "page.js"), "utf8"));
  return page;
}

/** A server and a browser, with the flags given to it. */
async function withBrowser(use: (opened: Opened) => Promise<void>, flags: string[] = []): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "satchel-cage-"));
  const satchel = new Satchel(await freePort(), join(folder, "data"));
  await satchel.start();
  const profile = new Profile(join(folder, "profile"));
  await profile.open({ args: flags });
  await use({ origin: satchel.origin, context: profile.context! });
  await profile.close();
  await satchel.stop();
  await rm(folder, { recursive: true, force: true });
}

interface Opened {
  origin: string;
  context: BrowserContext;
}

/** A test with a page in which cages can be opened. Server and browser are shared: a cage shares nothing by itself. */
export const test = base.extend<{ cages: Page; canary: Canary }, { opened: Opened; flags: string[] }>({
  flags: [[], { scope: "worker", option: true }],
  opened: [({ flags }, use) => withBrowser(use, flags), { scope: "worker" }],
  cages: async ({ opened }, use) => {
    const page = await preparedPage(opened.context, opened.origin);
    await use(page);
    await page.close();
  },
  canary: async ({}, use) => {
    const canary = await Canary.listen();
    await use(canary);
    await canary.close();
  },
});

/** A wheel of tests/wheels.txt, by the beginning of its name. */
export async function wheel(name: string): Promise<Files> {
  const folder = join(import.meta.dirname, "../wheels");
  const file = (await readdir(folder)).find((file) => file.startsWith(`${name}-`));
  if (!file) throw new Error(`there is no wheel of ${name}; run the tests by \`cargo xtask test\``);
  return { [file]: await readFile(join(folder, file)) };
}
