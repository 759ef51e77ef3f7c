// Keeps the app on the device, so that it opens with no network, and answers with the same headers as the server.
//
// One cache per build. A file whose name carries its content's hash is looked for in every cache, so that a tab of the
// previous version still finds its lazy files; a file with a fixed name is asked for as "?v=<build>" by the app and comes
// from that build's cache. A cache goes when no tab runs its build any more, and no user has agreed to it. `/api` is never
// touched, and nothing is ever fetched from another origin. `/local` is answered by the page that asks: what it asks for is
// handed back to it.
//
// A browser puts a new version in charge by itself once the last tab is closed. The build that the user agreed to is
// therefore noted, and its page is opened until another is agreed to, whichever version is in charge.

// Replaced when the app is built: { build, files: [{ path, sha256, bytes, content_type, immutable, part }], headers }.
const BUILD = null;

const PREFIX = "satchel-";
const cacheName = (build) => PREFIX + build;
const shell = BUILD.files.filter((file) => file.part === "shell");
// Fetched in idle time; what is "on_demand" is fetched by nobody but whoever uses it.
const lazy = BUILD.files.filter((file) => file.part === "lazy");

self.addEventListener("install", (event) => event.waitUntil(precache()));
self.addEventListener("activate", (event) => event.waitUntil(takeCharge()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin) return;
  if (isLocal(url.pathname) && event.request.mode !== "navigate") return event.respondWith(relay(event, url));
  if (event.request.method !== "GET") return;
  const answer = route(event.request, url);
  if (answer) event.respondWith(answer);
});
self.addEventListener("message", (event) => {
  const { type } = event.data ?? {};
  // Only a page that asked its user says this.
  if (type === "activate") event.waitUntil(agree().finally(() => (self.skipWaiting(), event.ports[0]?.postMessage(true))));
  if (type === "offer") event.waitUntil(offer(event.ports[0]));
  if (type === "claim") event.waitUntil(self.clients.claim());
  if (type === "tidy") event.waitUntil(tidy());
  if (type === "warm") event.waitUntil(warm());
});

// Stores the whole shell or nothing: a failure leaves the previous version in charge.
async function precache() {
  const cache = await caches.open(cacheName(BUILD.build));
  await Promise.all(shell.map((file) => keep(cache, file)));
  const description = JSON.stringify(BUILD);
  await cache.put("/satchel-build.json", new Response(description, { headers: { "content-type": "application/json" } }));
}

// The first version that is ever stored needs no yes.
async function takeCharge() {
  try {
    if (!(await agreement())) await agree();
  } finally {
    await self.clients.claim();
  }
}

// The cache that holds the note of the build the user agreed to, and the note's name there.
const AGREED = "agreed-build";
const NOTE = "/agreed-build.json";

// The note, if there is one that can be read: { build, unheard, at }.
async function agreement() {
  const kept = await caches.match(NOTE, { cacheName: AGREED });
  return kept?.json().catch(() => undefined);
}

// Notes the agreed build; and, where it is opened while another is in charge, how often in a row nothing was heard from it.
async function agree(build = BUILD.build, unheard = 0) {
  const cache = await caches.open(AGREED);
  await cache.put(NOTE, new Response(JSON.stringify({ build, unheard, at: Date.now() })));
}

// Tells a page whether its user has yet to agree to this build. A page that asks has started.
async function offer(port) {
  const { build = BUILD.build, unheard = 0 } = (await agreement()) ?? {};
  if (unheard > 0) await agree(build);
  port.postMessage(build !== BUILD.build);
}

// How often in a row the agreed build may be opened without a word from it: one that no longer starts cannot ask its user,
// and the new one is taken in its place. Tabs that are opened together count once.
const UNHEARD = 3;
const TOGETHER = 10_000;

// The build the user agreed to, where it is not this one and can be used. Else this one is what there is.
async function otherAgreed() {
  const { build = BUILD.build, unheard = 0, at = 0 } = (await agreement()) ?? {};
  if (build === BUILD.build) return undefined;
  if (unheard >= UNHEARD || !(await isWhole(build))) {
    await agree();
    return undefined;
  }
  const isAlone = unheard === 0 || Date.now() - at > TOGETHER;
  if (isAlone) await agree(build, unheard + 1);
  return build;
}

// Whether all that another build may need is kept. What is missing can no longer be had: the server has the new version's files.
async function isWhole(build) {
  const name = cacheName(build);
  if (!(await caches.has(name))) return false;
  const cache = await caches.open(name);
  const description = await (await cache.match("/satchel-build.json"))?.json();
  const kept = new Set((await cache.keys()).map((request) => new URL(request.url).pathname));
  return description?.files.every((file) => file.part === "on_demand" || kept.has(file.path)) ?? false;
}

// The app's page, of the build the user agreed to. Whatever is wrong with the note, there is a page.
async function appPage() {
  const build = await otherAgreed().catch(() => undefined);
  const kept = build && (await fromOther("/index.html", build));
  return kept?.ok ? kept : fromBuild("/index.html");
}

// Caches the lazy files in idle time, one after another.
async function warm() {
  const cache = await caches.open(cacheName(BUILD.build));
  for (const file of lazy) {
    if (!(await cache.match(file.path))) await keep(cache, file);
  }
}

// Puts one file into the cache: from another build's cache where it is the same, else from the network, checked against its
// hash either way.
async function keep(cache, file) {
  const kept = file.immutable ? await caches.match(file.path) : undefined;
  if (kept && (await sha256(await kept.clone().arrayBuffer())) === file.sha256) return cache.put(file.path, kept);
  // A fixed name is asked for past every HTTP cache; a hashed one may come from there.
  const response = await fetch(file.path, { cache: file.immutable ? "default" : "reload", credentials: "omit" });
  if (!response.ok) throw new Error(`${file.path} answered ${response.status}`);
  const bytes = await response.arrayBuffer();
  if ((await sha256(bytes)) !== file.sha256) throw new Error(`${file.path} is not the file of this build`);
  await cache.put(file.path, new Response(bytes, { headers: headersFor(file) }));
}

// The headers the server would send (see satchel-build.json).
function headersFor(file) {
  const group = { "/index.html": "app", "/404.html": "app", "/cage.html": "cage", "/frame.html": "frame" }[file.path];
  return { "content-type": file.content_type, ...BUILD.headers.any, ...(group ? BUILD.headers[group] : {}) };
}

// The answer for a request of our own origin, or nothing where the network should give it.
function route(request, url) {
  const path = url.pathname;
  // A login at an MCP server comes back to the Satchel server, by a navigation that is not the app's.
  if (path.startsWith("/api/") || path === "/healthz" || path === "/mcp" || path === "/oauth/callback") return null;
  if (path === "/service-worker.js") return null;
  const file = BUILD.files.find((file) => file.path === path);
  const wanted = url.searchParams.get("v");
  // Whatever address a page is opened at, it is the app's; the app itself explains an address it does not know.
  if (request.mode === "navigate" && (!file || (path === "/index.html" && !wanted))) return appPage();
  if (wanted && wanted !== BUILD.build) return fromOther(path, wanted);
  if (file && file.part !== "shell") return lazily(file);
  if (file || path === "/satchel-build.json") return fromBuild(path);
  if (path === "/" || path.startsWith("/ui/")) return appPage();
  // Not of this build: perhaps a hashed file of the previous one, whose tabs may still be open.
  return caches.match(path).then((kept) => kept ?? fetch(request));
}

const isLocal = (path) => path === "/local" || path.startsWith("/local/");

// How long a page may take to say that it heard a request, in milliseconds.
const HEARD = 10_000;
// How long it may take to answer. A browser ends a service worker's event after five minutes, and the request with it, so that the answer to
// a run, which may take longer, begins by then. Nothing else takes as long, and would have to say its status first.
const ANSWERED = 240_000;

// Hands a request to the very page that made it, and its answer back. No other tab is ever asked, and nothing that is not a page of
// ours, or not a script's own request, is answered: an address below /local never becomes a page, a frame, an image or a script.
async function relay(event, url) {
  const client = event.clientId ? await self.clients.get(event.clientId) : undefined;
  const isPage = client?.type === "window" && client.frameType === "top-level" && new URL(client.url).origin === url.origin;
  if (!isPage || event.request.destination !== "") {
    return refusal(403, "forbidden", "only a script in a page of Satchel can ask for this");
  }
  const body = new Uint8Array(await event.request.arrayBuffer());
  return ask(client, ["local", event.request.method, url.pathname, url.search.slice(1), body], body.buffer);
}

// Sends a message to a page with a way to answer. The page says first that it heard, then the answer. With the first it names a lock that
// it holds for as long as it lives, and says whether the request runs a tool: such an answer is waited for until it comes or the page is gone.
function ask(client, message, buffer) {
  const { port1, port2 } = new MessageChannel();
  const over = new AbortController();
  return new Promise((resolve) => {
    let rest;
    const end = (answer) => {
      if (over.signal.aborted) return;
      over.abort();
      clearTimeout(patience);
      port1.close();
      if (rest) finish(rest, answer);
      else resolve(Array.isArray(answer) ? respond(answer) : refusal(503, "no_answer", answer));
    };
    const begin = () => {
      const body = new ReadableStream({ start: (controller) => (rest = controller), cancel: () => end(GONE) });
      resolve(new Response(body, { status: 200, headers: JSON_HEADERS }));
    };
    let patience = setTimeout(end, HEARD, "the page that asked does not hear; reload it and try again");
    port1.onmessage = ({ data }) => {
      const [word, life, isRun] = [data].flat();
      if (word !== "heard") return end(data);
      clearTimeout(patience);
      const late = "the page has not answered within four minutes; what was asked for may still be done";
      patience = isRun ? setTimeout(begin, ANSWERED) : setTimeout(end, ANSWERED, late);
      // Whoever gets the lock knows that the page is gone.
      if (life) navigator.locks.request(life, { signal: over.signal }, () => end(GONE)).catch(() => {});
    };
    client.postMessage(message, [port2, buffer]);
  });
}

const GONE = "the page that asked is gone";

const respond = ([status, headers, bytes]) => new Response([204, 205, 304].includes(status) ? null : bytes, { status, headers });

// The rest of an answer that has begun. Its status has been said; that something else came of it stands in the body, as it always does.
function finish(rest, answer) {
  if (!Array.isArray(answer)) return rest.error(new Error(answer));
  rest.enqueue(answer[2]);
  rest.close();
}

// The headers and the shape of every refusal below /local (core/src/local_api/response.rs, refusal.rs).
const JSON_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
};

function refusal(status, code, message) {
  return new Response(JSON.stringify({ error: { code, message } }), { status, headers: JSON_HEADERS });
}

// A file of this build. It was stored before this service worker took charge; the network answers where the browser has cleared it.
async function fromBuild(path) {
  const cache = await caches.open(cacheName(BUILD.build));
  return (await cache.match(path)) ?? fetch(path);
}

// A file with a fixed name, of another build whose tab is still open. No other build's file will do.
async function fromOther(path, build) {
  const name = cacheName(build);
  const kept = (await caches.has(name)) ? await (await caches.open(name)).match(path) : undefined;
  return kept ?? Response.error();
}

async function lazily(file) {
  const kept = await caches.match(file.path);
  if (kept) return kept;
  const cache = await caches.open(cacheName(BUILD.build));
  await keep(cache, file);
  return cache.match(file.path);
}

// Drops the caches of builds that no tab runs and no user agreed to. Every page holds a lock named after its build for as long as it lives; while
// some window has not taken its lock yet, nothing is dropped.
async function tidy() {
  // A version that waits for its turn has a cache already, and no tab yet.
  if (self.registration.waiting || self.registration.installing) return;
  const { held } = await navigator.locks.query();
  const running = held.map((lock) => lock.name).filter((name) => name.startsWith("satchel-build-"));
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const pages = windows.filter((client) => client.frameType === "top-level");
  if (pages.length > running.length) return;
  const agreed = (await agreement())?.build;
  const used = new Set([BUILD.build, agreed, ...running.map((name) => name.slice("satchel-build-".length).split("/")[0])]);
  const unused = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && !used.has(name.slice(PREFIX.length)));
  for (const name of unused) {
    await inherit(name);
    await caches.delete(name);
  }
}

// Takes over the files beside the shell that this build shares with an older one, so that an update does not cost what was kept. What was
// fetched on demand is in use, so that its newer version is fetched in its place.
async function inherit(name) {
  const [old, current] = await Promise.all([caches.open(name), caches.open(cacheName(BUILD.build))]);
  const folder = (path) => path.slice(0, path.lastIndexOf("/")).replace(/-[^-/]*$/, "");
  const used = new Set((await old.keys()).map((request) => folder(new URL(request.url).pathname)));
  for (const file of BUILD.files.filter((file) => file.part !== "shell")) {
    const isUsed = file.part === "on_demand" ? used.has(folder(file.path)) : await old.match(file.path);
    if (isUsed && !(await current.match(file.path))) await keep(current, file);
  }
}

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
