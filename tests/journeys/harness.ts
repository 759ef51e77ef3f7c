// What every journey starts from: a server of its own with its own data, and a browser with its own profile.
import { test as base, chromium, expect, type BrowserContext, type Page } from "@playwright/test";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createSocket as createDatagramSocket, type Socket as DatagramSocket } from "node:dgram";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export { expect };

/** The value of an environment variable that `cargo xtask test` sets. */
function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run the journeys by \`cargo xtask test\``);
  return value;
}

export const DIST = required("SATCHEL_DIST");

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A `satchel` process. It can be stopped and started again on the same port, with the same or another build of the app. */
export class Satchel {
  /** The address with its token, as the server prints it. */
  address = "";
  /** What it has logged. */
  log = "";
  private process?: ChildProcess;

  constructor(
    readonly port: number,
    readonly data: string,
    private readonly extra: string[] = [],
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it with the app it was built with, or with another build of it. */
  async start(app?: string): Promise<void> {
    const flags = ["serve", "--port", String(this.port), "--data", this.data, ...this.extra];
    if (app) flags.push("--app-dir", app);
    const child = spawn(required("SATCHEL_BIN"), flags, { stdio: ["ignore", "pipe", "pipe"] });
    this.process = child;
    const before = this.log.length;
    child.stderr.on("data", (text) => (this.log += text));
    this.address = await new Promise((resolve, reject) => {
      child.stdout.on("data", (text) => {
        const line = String(text).match(/^http\S+#token=\S+$/m);
        if (line) resolve(line[0]);
      });
      child.on("exit", (code) => reject(new Error(`satchel ended with ${code}: ${this.log.slice(before)}`)));
    });
  }

  /** Runs another command of the program on the same data, as the operator would; what it prints. */
  command(...words: string[]): string {
    return execFileSync(required("SATCHEL_BIN"), [...words, "--data", this.data], { encoding: "utf8" });
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill(signal);
    await ended;
  }
}

/** A browser profile on the disk. Closing it and opening it again is a cold start with what was stored. */
export class Profile {
  context?: BrowserContext;
  /** Every request that any page or worker of the profile made, by its address. */
  readonly requests: string[] = [];

  constructor(readonly folder: string) {}

  /** Opens it. QUIC, and with it WebTransport, works only where it is asked for. */
  async open(options: Parameters<typeof chromium.launchPersistentContext>[1] & { quic?: boolean } = {}): Promise<Page> {
    const { args = [], quic = false, ...rest } = options;
    this.context = await chromium.launchPersistentContext(this.folder, {
      executablePath: required("CHROMIUM"),
      args: [...FLAGS, ...(quic ? [] : ["--disable-quic"]), ...args],
      viewport: { width: 1440, height: 900 },
      ...rest,
    });
    this.context.on("request", (request) => this.requests.push(request.url()));
    return this.context.pages()[0] ?? (await this.context.newPage());
  }

  async close(): Promise<void> {
    await this.context?.close();
    this.context = undefined;
  }
}

/** A listener that nothing should ever reach: it counts connections, those that said anything, and packets of UDP, and answers none. */
export class Canary {
  connections = 0;
  requests = 0;
  packets = 0;
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly datagrams: DatagramSocket,
  ) {
    datagrams.on("message", () => (this.packets += 1));
    server.on("connection", (socket) => {
      this.connections += 1;
      this.open.add(socket);
      socket.on("close", () => this.open.delete(socket));
      socket.on("error", () => socket.destroy());
      socket.once("data", () => {
        this.requests += 1;
        socket.destroy();
      });
    });
  }

  static async listen(): Promise<Canary> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // On the port of the same number, so that one address is both.
    const datagrams = createDatagramSocket("udp4");
    await new Promise<void>((resolve) => datagrams.bind((server.address() as AddressInfo).port, "127.0.0.1", resolve));
    return new Canary(server, datagrams);
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    this.datagrams.close();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Waits until the app can be used. */
export async function ready(page: Page): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("data-ready", "true");
}

/** Waits until the token that came with the address was taken. */
export async function connected(page: Page): Promise<void> {
  // It is said for a moment only, which may be over before all else is there.
  await expect(page.getByTestId("notice").first()).toContainText("Connected");
  await ready(page);
}

/** Waits until everything the app keeps by itself for use without a network is kept, lazy files included. */
export async function kept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const build = await (await fetch("/satchel-build.json")).json();
    const cache = await caches.open(`satchel-${build.build}`);
    // The service worker's own script is the browser's to keep, and 404.html is for hosts that know no other way.
    const isOutside = (path: string) => ["/service-worker.js", "/404.html"].includes(path);
    type File = { path: string; part: string };
    const wanted = build.files.filter((file: File) => file.part !== "on_demand" && !isOutside(file.path));
    const missing = async () => {
      for (const file of wanted) if (!(await cache.match(file.path))) return file.path;
      return null;
    };
    while (await missing()) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

/** Turns one bit of the stored content of this name. */
export async function damage(page: Page, name: string): Promise<void> {
  await page.evaluate(async (name) => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const transaction = database.transaction("blobs", "readwrite");
    const getting = transaction.objectStore("blobs").get(name);
    getting.onsuccess = () => {
      const bytes = getting.result as Uint8Array;
      bytes[0] ^= 1;
      transaction.objectStore("blobs").put(bytes, name);
    };
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  }, name);
}

/** All settings that are stored, as one text. */
const storedSettings = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const opening = indexedDB.open("satchel");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const rows = opening.result.transaction("settings").objectStore("settings").getAll();
          rows.onsuccess = () => {
            opening.result.close();
            resolve(JSON.stringify(rows.result));
          };
        };
      }),
  );

/** Types into a setting and waits until it is stored, so that the page can be left. */
export async function setting(page: Page, testId: string, value: string): Promise<void> {
  const before = await storedSettings(page);
  await page.getByTestId(testId).fill(value);
  await page.getByTestId(testId).blur();
  await expect.poll(() => storedSettings(page), { message: `${testId} is stored` }).not.toBe(before);
}

type Fixtures = { folder: string; satchel: Satchel; profile: Profile; canary: Canary; page: Page };

/** A journey: `page` is a fresh tab of `profile`, which is a fresh browser; `satchel` runs already. */
export const test = base.extend<Fixtures>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "satchel-journey-"));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  satchel: async ({ folder }, use) => {
    const satchel = new Satchel(await freePort(), join(folder, "data"));
    await satchel.start();
    await use(satchel);
    await satchel.stop();
  },
  profile: async ({ folder }, use) => {
    const profile = new Profile(join(folder, "profile"));
    await use(profile);
    await profile.close();
  },
  canary: async ({}, use) => {
    const canary = await Canary.listen();
    await use(canary);
    await canary.close();
  },
  page: async ({ profile }, use) => {
    await use(await profile.open());
  },
});
