// F20, the frame: what an artifact, a document or a renderer's configuration tries against the page that shows it. Nothing gets out, nothing is
// loaded, the page stays usable, and what cannot be shown is told.
import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";

import { expect, ready, test } from "../journeys/harness";
import { begin, seed, type SeededCall } from "../journeys/seeded";
import { report } from "./ground";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A call whose result is shown by this page of its toolset. */
const artifact = (tool: string, page: string, data: unknown = {}): SeededCall => ({
  tool_id: `hostile:${tool}`,
  result: { ok: true },
  render_plan: { renderer: "html", config: { artifact: "a.html", data }, pinned: { "a.html": sha256(page) } },
});
const card = (page: Page, tool: string) => page.getByTestId("tool-call-message").filter({ hasText: tool });
const inside = (page: Page, tool: string) => card(page, tool).frameLocator("iframe").frameLocator("iframe");

/** Writes what each way came to into its own document, where the test reads it. */
const escapes = (canary: string) => `<!doctype html><p id="out"></p><script>
  const ways = {
    storage: () => localStorage.length,
    database: () => indexedDB.open("satchel"),
    cookies: () => document.cookie,
    caches: () => caches.keys(),
    page: () => parent.parent.document.title,
    frame: () => parent.document.title,
    top: () => { top.location = "${canary}/top"; return undefined; },
    fetch: () => fetch("${canary}/fetch", { mode: "no-cors" }).then(() => "answered"),
    local: () => fetch("/local/toolsets").then((answer) => answer.text()),
    request: () => { const request = new XMLHttpRequest(); request.open("GET", "${canary}/xhr", false); request.send(); return "answered"; },
    socket: () => new Promise((resolve, reject) => { const socket = new WebSocket("${canary}".replace("http", "ws")); socket.onopen = () => resolve("open"); socket.onerror = reject; }),
    events: () => new Promise((resolve, reject) => { const events = new EventSource("${canary}/events"); events.onopen = () => resolve("open"); events.onerror = reject; }),
    beacon: () => { navigator.sendBeacon("${canary}/beacon", "x"); return undefined; },
    worker: () => new Promise((resolve, reject) => { const worker = new Worker("data:text/javascript,postMessage(1)"); worker.onmessage = () => resolve("ran"); worker.onerror = reject; setTimeout(reject, 2000); }),
    module: () => import("${canary}/module.js"),
    popup: () => open("${canary}/popup") ?? undefined,
    dialog: () => { alert("out"); return undefined; },
    frames: () => new Promise((resolve, reject) => { const frame = document.createElement("iframe"); frame.src = "${canary}/frame"; frame.onload = () => { try { frame.contentDocument.title; reject(); } catch { reject(); } }; document.body.append(frame); setTimeout(reject, 500); }),
    clipboard: () => navigator.clipboard.readText(),
    service: () => navigator.serviceWorker.controller.scriptURL,
  };
  (async () => {
    const found = {};
    for (const [name, way] of Object.entries(ways)) {
      try { const value = await way(); found[name] = value === undefined ? "refused" : "open: " + value; } catch { found[name] = "refused"; }
    }
    document.getElementById("out").textContent = JSON.stringify(found);
  })();
</script>`;

/** Wants to be elsewhere; whatever becomes of the document, nobody hears of it. */
const leaves = (canary: string) => `<!doctype html><p>leaves</p><form id="f" action="${canary}/form" method="post"></form><meta http-equiv="refresh" content="1;url=${canary}/refresh"><script>
  const link = Object.assign(document.createElement("a"), { href: "${canary}/download", download: "x" });
  for (const leave of [() => link.click(), () => document.getElementById("f").submit(), () => (location.href = "${canary}/location"), () => parent.location.replace("${canary}/parent")]) {
    try { leave(); } catch {}
  }
</script>`;

/** Says whatever it likes to everybody it can reach. */
const FORGED = `<!doctype html><p>forged</p><script>
  const words = [
    { satchel: "height", height: 1e12 }, { satchel: "height", height: -5 }, { satchel: "height", height: NaN }, { satchel: "height", height: "9" },
    { satchel: "error", message: { toString: 1 } }, { satchel: "error", message: "x".repeat(1e5) }, { type: "frame-loaded", origin: "null" },
    { type: "show", document: "<p>mine" }, { type: "port" }, { type: "height", height: 7 }, null, 3, "text", [[]], { satchel: "ready" },
  ];
  for (let round = 0; round < 60; round += 1) for (const word of words) {
    parent.postMessage(word, "*");
    parent.parent.postMessage(word, "*");
    top.postMessage(word, "*");
  }
  for (let at = 0; at < 500; at += 1) setTimeout(() => { throw new Error("flood " + at); });
</script>`;

/** Names what loads itself. */
const images = (canary: string) =>
  `<!doctype html><img src="${canary}/i1"><link rel=stylesheet href="${canary}/c"><style>body{background:url(${canary}/i2)}@import "${canary}/c2";</style><video poster="${canary}/v"></video><object data="${canary}/o"></object>`;

const GROWS = `<!doctype html><style>html, body { margin: 0 } #a { height: calc(100vh + 40px) }</style><div id="a">grows</div>`;
const HOSTILE = { "</script><script>document.title='out'</script>": "</head><!--<script>", "\u2028": "\u2029</body>" };
const DATA = `<!doctype html><head><title>kept</title></head><body><pre id="data"></pre><script>document.getElementById("data").textContent = JSON.stringify(window.__TOOL_DATA__);</script></body>`;

/** Plans that no honest tool makes. */
const configs = (origin: string, canary: string): [string, unknown][] => [
  ["language", { renderer: "code", config: { content: "x = 1", language: "__proto__" } }],
  ["constructor", { renderer: "code", config: { content: "x = 1", language: "constructor" } }],
  ["script_language", { renderer: "code", config: { content: "</script>", language: "<img src=x onerror=alert(1)>" } }],
  ["path", { renderer: "code", config: { file: "../../../etc/passwd" }, pinned: {} }],
  ["absolute", { renderer: "document", config: { file: "/etc/passwd" }, pinned: { "/etc/passwd": "0".repeat(64) } }],
  ["not_a_hash", { renderer: "code", config: { file: "a" }, pinned: { a: "javascript:alert(1)" } }],
  ["javascript", { renderer: "frame", config: { url: "javascript:alert(document.domain)" } }],
  ["data", { renderer: "frame", config: { url: "data:text/html,<script>alert(1)</script>" } }],
  ["blob", { renderer: "frame", config: { url: `blob:${origin}/x` } }],
  ["own", { renderer: "frame", config: { url: `${origin}/ui/settings` } }],
  ["credentials", { renderer: "frame", config: { url: "http://user:pass@localhost:1/" } }],
  ["port", { renderer: "frame", config: { port: 99999 } }],
  ["both", { renderer: "frame", config: { url: "http://localhost:1", port: 2 } }],
  ["flag", { renderer: "code", config: { content: "x", editable: "yes" } }],
  ["number", { renderer: "code", config: { content: 7 } }],
  ["list", { renderer: "html", config: [] }],
  ["nothing", { renderer: "html", config: null }],
  ["artifact", { renderer: "html", config: { artifact: { toString: "x" } } }],
  ["markdown", { renderer: "document", config: { content: `<img src="${canary}/m1">\n\n![x](${canary}/m2)\n\n[l](javascript:alert(1))\n\n<script>alert(1)</script>\n\n${">".repeat(3000)} deep\n` } }],
  ["svg", { renderer: "document", config: { content: `![s](data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><image href="${canary}/svg"/></svg>`).toString("base64")})` } }],
  ["unknown", { renderer: "hologram", config: {} }],
  ["text", "not a plan"],
];

test("F20 frame", async ({ page, satchel, canary }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const popups: Page[] = [];
  page.context().on("page", (popup) => popups.push(popup));
  await page.goto(satchel.origin);
  await ready(page);
  const chat = await begin(page);
  const plans = configs(satchel.origin, canary.address);
  const calls: SeededCall[] = [
    artifact("escapes", escapes(canary.address)),
    artifact("script_in_data", DATA, HOSTILE),
    artifact("forged", FORGED),
    artifact("images", images(canary.address)),
    artifact("grows", GROWS),
    artifact("leaves", leaves(canary.address)),
    ...plans.map(([name, render_plan]) => ({ tool_id: `hostile:plan_${name}`, result: { ok: name }, render_plan })),
  ];
  await seed(page, chat, calls, [escapes(canary.address), DATA, FORGED, images(canary.address), GROWS, leaves(canary.address)]);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("tool-call-message")).toHaveCount(calls.length);
  const heading = await page.title();

  // Ways out.
  await card(page, "escapes").scrollIntoViewIfNeeded();
  await expect(inside(page, "escapes").locator("#out")).toContainText("service", { timeout: 60_000 });
  const found: Record<string, string> = JSON.parse((await inside(page, "escapes").locator("#out").textContent()) ?? "{}");
  for (const [way, outcome] of Object.entries(found)) expect(outcome, way).toBe("refused");
  await expect(card(page, "escapes").getByTestId("artifact-errors")).toContainText("no network");

  await card(page, "leaves").scrollIntoViewIfNeeded();
  await expect(card(page, "leaves").locator("iframe")).toHaveCount(1);

  // Data stays data.
  await card(page, "script_in_data").scrollIntoViewIfNeeded();
  await expect(inside(page, "script_in_data").locator("#data")).toHaveText(JSON.stringify(HOSTILE));

  // Forged words: the height stays within its bounds, few errors are told, and the page answers.
  await card(page, "forged").scrollIntoViewIfNeeded();
  await expect(inside(page, "forged").locator("p")).toHaveText("forged");
  await expect(card(page, "forged").getByTestId("artifact-errors")).toBeVisible();
  const frameHeight = async (tool: string) => (await card(page, tool).locator("iframe").boundingBox())?.height ?? 0;
  await expect.poll(() => frameHeight("forged")).toBeLessThanOrEqual(1200);
  expect(await card(page, "forged").getByTestId("artifact-errors").locator("li").count()).toBeLessThanOrEqual(20);

  // Nothing loads itself.
  await card(page, "images").scrollIntoViewIfNeeded();
  await expect(card(page, "images").getByTestId("artifact-errors")).toContainText("no network");

  // A page that grows with its frame is let be.
  await card(page, "grows").scrollIntoViewIfNeeded();
  await expect(inside(page, "grows").locator("#a")).toBeVisible();
  let before = -1;
  await expect
    .poll(
      async () => {
        const now = await frameHeight("grows");
        const stays = now === before;
        before = now;
        return stays;
      },
      { intervals: [1_000] },
    )
    .toBe(true);
  expect(before).toBeLessThanOrEqual(1200);

  // Plans full of hostile values: each call is there with its result, shown in some way or as JSON with a note.
  for (const [name] of plans) {
    const call = card(page, `plan_${name}`).first();
    await call.scrollIntoViewIfNeeded();
    await call.getByTestId("tool-call-expand").click();
    await expect(call.getByTestId("tool-call-details"), name).toContainText("ok");
    expect(await call.locator("iframe").count(), name).toBe(0);
    await call.getByTestId("tool-call-expand").click();
  }

  expect(dialogs).toEqual([]);
  expect(popups).toEqual([]);
  expect(canary.requests, "nothing reached the canary").toBe(0);
  expect(await page.title()).toBe(heading);
  expect(page.url()).toContain(chat);

  // A page that never answers does not hold up the app, and can be stopped.
  const LOOPS = "<!doctype html><p>loops</p><script>for (;;) {}</script>";
  await seed(page, chat, [artifact("loops", LOOPS)], [LOOPS]);
  await page.reload();
  await ready(page);
  const loops = card(page, "loops");
  await loops.scrollIntoViewIfNeeded();
  await expect(loops.getByTestId("artifact-silent")).toBeVisible({ timeout: 30_000 });
  const started = Date.now();
  await page.getByTestId("chat-input").fill("still here");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user").last()).toContainText("still here");
  const held = Date.now() - started;
  expect(held, "the app answers while a frame does not").toBeLessThan(5_000);
  await loops.getByTestId("artifact-stop").click();
  await expect(loops.locator("iframe")).toHaveCount(0);

  await report("frame", `${Object.keys(found).length} ways out refused, ${plans.length} hostile plans drawn, forged and endless pages bounded, the app answered in ${held} ms beside a page that never does`);
});
