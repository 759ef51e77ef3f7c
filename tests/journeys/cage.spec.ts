// The cage: Python runs in it, nothing gets out of it, and nothing is sent into a frame that is not one.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { DIST, expect, kept, ready, test, type Canary } from "./harness";
import { execute, install, newChat, toolset } from "./toolset";

/** The ways that the check in Settings tries; the last eleven of them are kinds of network. */
const WAYS = 19;

/** Runs the check in Settings against an address, and expects every way out to be refused. */
async function checkCageAgainst(page: Page, origin: string, address: string): Promise<void> {
  await page.goto(`${origin}/ui/settings`);
  await ready(page);
  await page.getByLabel("Address the check tries to reach").fill(address);
  await page.getByTestId("cage-check").click();
  await expect(page.getByTestId("cage-python")).toContainText("3.14", { timeout: 60_000 });
  const probes = page.locator("[data-testid^=cage-probe-]");
  await expect(probes).toHaveCount(WAYS);
  await expect(page.locator("[data-testid^=cage-probe-][data-refused=true]")).toHaveCount(WAYS);
}

/** The same against the canary, which must stay untouched. */
async function checkCage(page: Page, origin: string, canary: Canary): Promise<void> {
  await checkCageAgainst(page, origin, canary.address);
  expect(canary.connections).toBe(0);
}

test("Python answers from a cage with no way out, online and cold offline", async ({ page, profile, satchel, canary }) => {
  const blocked: string[] = [];
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && blocked.push(message.text()));
  await page.goto(satchel.address);
  await ready(page);
  expect(blocked, "the app itself boots within its policy").toEqual([]);
  await checkCage(page, satchel.origin, canary);
  await kept(page);

  await profile.close();
  await satchel.stop();
  const cold = await profile.open();
  await checkCage(cold, satchel.origin, canary);
});

test("the app's own server is as far away as any other", async ({ page, satchel }) => {
  await page.goto(satchel.address);
  await ready(page);
  // With a server that listens there, a way that was open would be answered.
  expect((await page.context().request.get(`${satchel.origin}/healthz`)).status()).toBe(200);
  await checkCageAgainst(page, satchel.origin, satchel.origin);
});

/** R303: what tabs of the app tell each other is not for tools, and not by them. */
test("a tool is not heard on the app's channels, and hears nothing there", async ({ page, profile, satchel }) => {
  test.setTimeout(180_000);
  await page.goto(satchel.origin);
  await ready(page);
  const channels = ["satchel-chats", "satchel-answers", "satchel-toolsets", "satchel-models"];
  const source = `
import asyncio
import js
from pyodide.ffi import create_proxy

CHANNELS = ${JSON.stringify(channels)}
heard = []
opened = []

def speak(workspace):
    for name in CHANNELS:
        channel = js.BroadcastChannel.new(name)
        channel.onmessage = create_proxy(lambda event: heard.append(str(event.data)))
        channel.postMessage("from a tool")
        opened.append(channel)
    return {"channels": len(opened)}

async def hear(workspace):
    # What came before the tool's own word has been heard once that one is.
    js.BroadcastChannel.new(CHANNELS[-1]).postMessage("own")
    for _ in range(2000):
        if "own" in heard:
            break
        await asyncio.sleep(0.01)
    return {"heard": heard}
`;
  const tools = [{ name: "speak", source }, { name: "hear", source: "from tools.speak import hear\n" }];
  await install(page, toolset("spy", tools));
  const chat = await newChat(page);
  const beside = await profile.context!.newPage();
  await beside.goto(`${satchel.origin}/satchel-build.json`);
  await beside.evaluate((names) => {
    const said: string[] = [];
    for (const name of names) new BroadcastChannel(name).onmessage = (event) => said.push(String(event.data));
    Object.assign(globalThis, { said });
  }, channels);
  const said = () => beside.evaluate(() => (globalThis as unknown as { said: string[] }).said);

  expect((await execute(page, "spy", "speak", { chat_id: chat })).result).toEqual({ channels: channels.length });
  await page.evaluate((names) => names.forEach((name) => new BroadcastChannel(name).postMessage("from the page")), channels);
  await expect.poll(async () => (await said()).filter((words) => words === "from the page").length).toBe(channels.length);
  expect((await execute(page, "spy", "hear", { chat_id: chat })).result).toEqual({ heard: ["own"] });
  expect((await said()).filter((words) => words === "from a tool" || words === "own")).toEqual([]);
});

test("JavaScript in the cage's frame reaches nothing either", async ({ page, satchel, canary }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  // The frame exists only while the check runs, so a frame of the same page is made by hand.
  await page.evaluate(async () => {
    const frame = document.createElement("iframe");
    frame.src = "/cage.html";
    document.body.append(frame);
    await new Promise((resolve) => (frame.onload = resolve));
  });
  const frame = page.frames().find((frame) => frame.url().includes("/cage.html"));
  expect(frame).toBeDefined();
  const outcome = await frame!.evaluate(async (address) => {
    const attempt = async (action: () => unknown) => {
      try {
        const value = await action();
        return value === undefined ? "refused" : `open: ${value}`;
      } catch {
        return "refused";
      }
    };
    const loads = (element: any) =>
      new Promise((resolve) => {
        element.onload = () => resolve("loaded");
        element.onerror = () => resolve(undefined);
        document.documentElement.append(element);
      });
    const make = (tag: string, fields: object) => Object.assign(document.createElement(tag), fields);
    return {
      origin: self.origin,
      storage: await attempt(() => localStorage.length),
      cookie: await attempt(() => document.cookie),
      parent: await attempt(() => parent.document.title),
      fetch: await attempt(() => fetch(address, { mode: "no-cors" }).then(() => "answered")),
      image: await attempt(() => loads(make("img", { src: address }))),
      script: await attempt(() => loads(make("script", { src: address }))),
      style: await attempt(() => loads(make("link", { rel: "stylesheet", href: address }))),
      beacon: await attempt(() => (navigator.sendBeacon(address), undefined)),
      popup: await attempt(() => open(address) ?? undefined),
      form: await attempt(() => {
        const form = make("form", { action: address, method: "post" }) as HTMLFormElement;
        document.documentElement.append(form);
        form.submit();
      }),
    };
  }, canary.address);
  const { origin, ...ways } = outcome;
  expect(origin).toBe("null");
  for (const [way, result] of Object.entries(ways)) expect(result, way).toBe("refused");
  expect(canary.connections).toBe(0);
});

/** Does one of the check's ways in a worker with no policy at all, from a host of the test's own. No browser starts a worker from another
 * origin, with or without a cage, so that this way is not among them. */
async function withoutCage(page: Page, way: string, address: string): Promise<void> {
  const worker = `
    const [address, way] = decodeURIComponent(location.hash.slice(1)).split(" ");
    const ways = {
      fetch: () => fetch(address),
      "fetch-no-cors": () => fetch(address, { mode: "no-cors" }),
      "fetch-keepalive": () => fetch(address, { keepalive: true, mode: "no-cors", method: "POST", body: "x" }),
      "xml-http-request": () => { const request = new XMLHttpRequest(); request.open("GET", address, false); request.send(); },
      websocket: () => { new WebSocket(address.replace("http", "ws")); },
      "event-source": () => { new EventSource(address); },
      "web-transport": () => { new WebTransport(address.replace("http:", "https:")).ready.catch(() => {}); },
      "import-scripts": () => importScripts(address),
      import: () => import(address),
    };
    Promise.resolve().then(ways[way]).catch(() => {});
    postMessage("tried");`;
  const host = createServer((request, response) => {
    const script = request.url?.startsWith("/worker.js");
    response.setHeader("content-type", script ? "text/javascript" : "text/html").end(script ? worker : "<!doctype html>");
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  try {
    await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
    await page.evaluate(
      (task) => {
        const worker = new Worker("/worker.js#" + encodeURIComponent(task));
        return new Promise((resolve) => (worker.onmessage = resolve));
      },
      `${address} ${way}`,
    );
  } finally {
    host.close();
    host.closeAllConnections();
  }
}

test("the same ways reach the canary when there is no cage", async ({ page, canary }) => {
  const ways = ["fetch", "fetch-no-cors", "fetch-keepalive", "xml-http-request", "websocket", "event-source", "import-scripts", "import"];
  for (const way of ways) {
    const before = canary.connections;
    await withoutCage(page, way, canary.address);
    await expect.poll(() => canary.connections, { message: way }).toBeGreaterThan(before);
  }
});

/** The other checks are made in a browser in which QUIC is off, where WebTransport could reach nothing anyway. */
test("WebTransport reaches the canary without a cage, and not from one", async ({ profile, satchel, canary }) => {
  const page = await profile.open({ quic: true });
  await checkCage(page, satchel.origin, canary);
  expect(canary.packets).toBe(0);
  await withoutCage(page, "web-transport", canary.address);
  await expect.poll(() => canary.packets).toBeGreaterThan(0);
});

test("an artifact runs in its frame and gets out of it by no way but its messages", async ({ page, satchel, canary }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const artifact = `<!doctype html><p id="text">shown</p><img src="${canary.address}/image"><script>
    const refused = async (action) => { try { await action(); return false; } catch { return true; } };
    (async () => { parent.postMessage({
      origin: self.origin,
      text: document.getElementById("text").textContent,
      storage: await refused(() => localStorage.length),
      fetch: await refused(() => fetch("${canary.address}", { mode: "no-cors" })),
      page: await refused(() => parent.parent.document.title),
    }, "*"); location.href = "${canary.address}/navigated"; })();
  </script>`;
  const said = await page.evaluate(async (document) => {
    const frame = window.document.createElement("iframe");
    const messages: { origin: string; data: any }[] = [];
    const heard = new Promise<void>((resolve) =>
      addEventListener("message", (event) => {
        if (event.source !== frame.contentWindow) return;
        messages.push({ origin: event.origin, data: event.data });
        if (event.data.type === "frame-loaded") frame.contentWindow!.postMessage({ type: "show", document }, "*");
        if (event.data.type === "artifact") resolve();
      }),
    );
    frame.src = "/frame.html";
    window.document.body.append(frame);
    await heard;
    return messages;
  }, artifact);
  expect(said).toEqual([
    { origin: "null", data: { type: "frame-loaded", origin: "null" } },
    {
      origin: "null",
      data: { type: "artifact", data: { origin: "null", text: "shown", storage: true, fetch: true, page: true } },
    },
  ]);
  // Going away is refused as well: an error page of the browser takes the artifact's place.
  await expect.poll(() => page.frames().map((frame) => frame.url()).join()).toContain("chrome-error:");
  // The browser may have connected ahead of time, which no policy prevents (docs/security.md), but nothing was ever said.
  expect(canary.requests).toBe(0);
});

test("server and service worker answer the frames with the same headers", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await kept(page);
  const build = JSON.parse(await readFile(join(DIST, "satchel-build.json"), "utf8"));
  for (const [path, group] of [
    ["/ui/chat", "app"],
    ["/cage.html", "cage"],
    ["/frame.html", "frame"],
  ]) {
    const wanted: string = build.headers[group]["content-security-policy"];
    const fromServer = await page.context().request.get(satchel.origin + path);
    const fromWorker = await page.evaluate(
      async (path) => (await fetch(path)).headers.get("content-security-policy"),
      path,
    );
    expect(fromServer.headers()["content-security-policy"], `${path} from the server`).toBe(wanted);
    expect(fromWorker, `${path} from the service worker`).toBe(wanted);
  }
  expect(build.headers.cage["content-security-policy"]).toMatch(/^sandbox allow-scripts; default-src 'none';/);
});

test("a frame that does not report the origin null is sent nothing", async ({ profile }) => {
  // A host that serves the app, but answers /cage.html without its header: a page of the app's own origin, which lies about
  // its origin and reports whatever it is sent.
  const spy = `<!doctype html><script>
    addEventListener("message", () => navigator.sendBeacon("/received"));
    parent.postMessage({ type: "cage-loaded", origin: "null" }, "*");
  </script>`;
  let received = 0;
  const types: Record<string, string> = { js: "text/javascript", mjs: "text/javascript", css: "text/css", wasm: "application/wasm" };
  const host = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://host").pathname;
    if (path === "/received") received += 1;
    if (path === "/cage.html") return response.setHeader("content-type", "text/html").end(spy);
    const file = path.startsWith("/ui/") ? "/index.html" : path;
    try {
      const body = await readFile(join(DIST, file));
      response.setHeader("content-type", types[file.split(".").pop() ?? ""] ?? "text/html").end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  try {
    const page = await profile.open({ serviceWorkers: "block" });
    await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/ui/settings`);
    await ready(page);
    const spied = page.waitForEvent("frameattached");
    await page.getByTestId("cage-check").click();
    const frame = await spied;
    await expect(page.getByText("the cage is not closed", { exact: false }).first()).toBeVisible({ timeout: 30_000 });
    expect(frame.isDetached(), "the frame is taken away at once").toBe(true);
    expect(await page.getByTestId("cage-python").count()).toBe(0);
    expect(received).toBe(0);
  } finally {
    host.close();
  }
});

test("the workers of core are replaced when they die", async ({ page, satchel, canary }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  const workers = () => page.workers().filter((worker) => worker.url().includes("/core-worker.js"));
  await checkCage(page, satchel.origin, canary);
  const first = workers();
  expect(first.length).toBeGreaterThan(0);
  for (const worker of first) {
    const ended = new Promise((resolve) => worker.on("close", resolve));
    await worker.evaluate(() => self.close());
    await ended;
  }
  await page.getByTestId("cage-check").click();
  await expect(page.locator("[data-testid^=cage-probe-][data-refused=true]")).toHaveCount(WAYS, { timeout: 60_000 });
  expect(workers().length).toBeGreaterThan(0);
  expect(workers().filter((worker) => first.includes(worker))).toEqual([]);
});
