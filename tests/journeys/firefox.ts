// Firefox, driven by its own protocol, Marionette: messages of JSON with their length before them, over TCP. Playwright drives only builds
// of its own, which are in no package registry.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";

import { freePort } from "./harness";

/** It calls nobody by itself: what is not this machine is sent to a port on which nobody listens. */
const PROXY = 'function FindProxyForURL(url, host) { return host === "127.0.0.1" ? "DIRECT" : "PROXY 127.0.0.1:9"; }';
const PREFERENCES = {
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.proxy.type": 2,
  "network.proxy.allow_hijacking_localhost": false,
  "network.proxy.autoconfig_url": `data:text/javascript,${encodeURIComponent(PROXY)}`,
  "toolkit.telemetry.reportingpolicy.firstRun": false,
};

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** A Firefox with a profile on the disk. */
export class Firefox {
  private process?: ChildProcess;
  private socket?: Socket;
  private heard = Buffer.alloc(0);
  private readonly waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  private last = 0;

  constructor(
    private readonly program: string,
    private readonly profile: string,
  ) {}

  async start(): Promise<void> {
    const port = await freePort();
    const lines = Object.entries({ ...PREFERENCES, "marionette.port": port }).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    await mkdir(this.profile, { recursive: true });
    await writeFile(join(this.profile, "user.js"), lines.join("\n"));
    const flags = ["--headless", "--marionette", "--no-remote", "--profile", this.profile];
    this.process = spawn(this.program, flags, { stdio: "ignore", env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: "1" } });
    this.socket = await this.reached(port);
    this.socket.on("data", (bytes) => this.hear(bytes));
    await this.ask("WebDriver:NewSession", { capabilities: { alwaysMatch: { timeouts: { script: 120_000, pageLoad: 120_000 } } } });
  }

  /** Ends it as a user would. */
  async quit(): Promise<void> {
    const child = this.process;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.on("exit", resolve));
    await this.ask("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => child.kill());
    await ended;
    this.socket?.destroy();
  }

  open(address: string): Promise<void> {
    return this.ask("WebDriver:Navigate", { url: address });
  }

  /** What an async function gives in the page; it is sent as text. */
  async run<Argument, Result>(script: (argument: Argument) => Promise<Result>, argument: Argument): Promise<Result> {
    const text = `const [argument, done] = arguments; (${script})(argument).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value } = await this.ask("WebDriver:ExecuteAsyncScript", { script: text, args: [argument] });
    if ("error" in value) throw new Error(value.error);
    return value.value;
  }

  /** Waits until something is in the page. */
  async see(selector: string): Promise<void> {
    await this.run(async (selector) => {
      while (!document.querySelector(selector)) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, selector);
  }

  async click(selector: string): Promise<void> {
    await this.ask("WebDriver:ElementClick", { id: await this.find(selector) });
  }

  async type(selector: string, text: string): Promise<void> {
    await this.ask("WebDriver:ElementSendKeys", { id: await this.find(selector), text });
  }

  private async find(selector: string): Promise<string> {
    await this.see(selector);
    const { value } = await this.ask("WebDriver:FindElement", { using: "css selector", value: selector });
    return value[ELEMENT];
  }

  /** The browser takes a while to listen. */
  private async reached(port: number): Promise<Socket> {
    for (;;) {
      const socket = connect(port, "127.0.0.1");
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once("connect", () => resolve(true));
        socket.once("error", () => resolve(false));
      });
      if (isOpen) return socket;
      if (this.process?.exitCode !== null) throw new Error(`Firefox ended with ${this.process?.exitCode} before it listened`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private ask(command: string, parameters: object): Promise<any> {
    const id = ++this.last;
    const message = JSON.stringify([0, id, command, parameters]);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket?.write(`${Buffer.byteLength(message)}:${message}`);
    });
  }

  private hear(bytes: Buffer): void {
    this.heard = Buffer.concat([this.heard, bytes]);
    for (;;) {
      const colon = this.heard.indexOf(":");
      if (colon < 0) return;
      const end = colon + 1 + Number(this.heard.subarray(0, colon));
      if (this.heard.length < end) return;
      const message = JSON.parse(this.heard.subarray(colon + 1, end).toString());
      this.heard = this.heard.subarray(end);
      // The first message greets.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) waiting?.reject(new Error(`${error.error}: ${error.message}`));
      else waiting?.resolve(result);
    }
  }
}
