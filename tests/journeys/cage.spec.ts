// The cage: Python runs in it, nothing gets out of it, and nothing is sent into a frame that is not one.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { DIST, expect, kept, ready, test, type Canary } from "./harness";

/** The ways that the check in Settings tries; ten of them are kinds of network. */
const WAYS = 19;

/** Runs the check in Settings against the canary, and expects every way out to be refused. */
async function checkCage(page: Page, origin: string, canary: Canary): Promise<void> {
  await page.goto(`${origin}/ui/settings`);
  await ready(page);
  await page.getByLabel("Address the check tries to reach").fill(canary.address);
  await page.getByTestId("cage-check").click();
  await expect(page.getByTestId("cage-python")).toContainText("3.14", { timeout: 60_000 });
  const probes = page.locator("[data-testid^=cage-probe-]");
  await expect(probes).toHaveCount(WAYS);
  await expect(page.locator("[data-testid^=cage-probe-][data-refused=true]")).toHaveCount(WAYS);
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

test("the core worker is replaced when it dies", async ({ page, satchel, canary }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  const worker = () => page.workers().filter((worker) => worker.url().includes("/core-worker.js"));
  await checkCage(page, satchel.origin, canary);
  expect(worker()).toHaveLength(1);
  const [first] = worker();
  const ended = new Promise((resolve) => first.on("close", resolve));
  await first.evaluate(() => self.close());
  await ended;
  await page.getByTestId("cage-check").click();
  await expect(page.locator("[data-testid^=cage-probe-][data-refused=true]")).toHaveCount(WAYS, { timeout: 60_000 });
  expect(worker()).toHaveLength(1);
});
