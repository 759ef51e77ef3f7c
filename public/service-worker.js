// Keeps the app on the device, so that it opens with no network, and answers with the same headers as the server.
//
// One cache per build. A file whose name carries its content's hash is looked for in every cache, so that a tab of the
// previous version still finds its lazy files; a file with a fixed name is asked for as "?v=<build>" by the app and comes
// from that build's cache. A cache goes when no tab runs its build any more. `/api` is never touched, and nothing is ever
// fetched from another origin.

// Replaced when the app is built: { build, files: [{ path, sha256, bytes, content_type, immutable, part }], headers }.
const BUILD = null;

const PREFIX = "satchel-";
const cacheName = (build) => PREFIX + build;
const shell = BUILD.files.filter((file) => file.part === "shell");
const lazy = BUILD.files.filter((file) => file.part === "lazy");

self.addEventListener("install", (event) => event.waitUntil(precache()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin) return;
  if (event.request.method !== "GET") return;
  const answer = route(event.request, url);
  if (answer) event.respondWith(answer);
});
self.addEventListener("message", (event) => {
  const { type } = event.data ?? {};
  // Only a page that asked its user says this.
  if (type === "activate") self.skipWaiting();
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

// Caches the lazy files in idle time, one after another.
async function warm() {
  const cache = await caches.open(cacheName(BUILD.build));
  for (const file of lazy) {
    if (!(await cache.match(file.path))) await keep(cache, file);
  }
}

// Puts one file into the cache: from an older cache where it is the same, else from the network, checked against its hash.
async function keep(cache, file) {
  if (file.immutable) {
    const same = await caches.match(file.path);
    if (same) return cache.put(file.path, same);
  }
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
  if (path.startsWith("/api/") || path.startsWith("/local/") || path === "/healthz" || path === "/mcp") return null;
  if (path === "/service-worker.js") return null;
  if (path === "/" || path.startsWith("/ui/")) return fromBuild("/index.html", BUILD.build);
  const wanted = url.searchParams.get("v");
  if (wanted) return fromBuild(path, wanted);
  const file = BUILD.files.find((file) => file.path === path);
  if (file?.part === "lazy") return lazily(file);
  if (file) return fromBuild(path, BUILD.build);
  return unknown(request, path);
}

// Not of this build: perhaps of the previous one, whose tabs may still be open. An address that nobody knows is the app's to
// explain, with or without a network.
async function unknown(request, path) {
  const kept = await caches.match(path);
  if (kept) return kept;
  try {
    return await fetch(request);
  } catch (unreachable) {
    if (request.mode === "navigate") return fromBuild("/index.html", BUILD.build);
    throw unreachable;
  }
}

async function fromBuild(path, build) {
  const cache = (await caches.has(cacheName(build))) ? await caches.open(cacheName(build)) : null;
  return (await cache?.match(path)) ?? (await caches.match(path)) ?? fetch(path);
}

async function lazily(file) {
  const kept = await caches.match(file.path);
  if (kept) return kept;
  const cache = await caches.open(cacheName(BUILD.build));
  await keep(cache, file);
  return cache.match(file.path);
}

// Drops the caches of builds that no tab runs. Every page holds a lock named after its build for as long as it lives; while
// some window has not taken its lock yet, nothing is dropped.
async function tidy() {
  // A version that waits for its turn has a cache already, and no tab yet.
  if (self.registration.waiting || self.registration.installing) return;
  const { held } = await navigator.locks.query();
  const running = held.map((lock) => lock.name).filter((name) => name.startsWith("satchel-build-"));
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const pages = windows.filter((client) => client.frameType === "top-level");
  if (pages.length > running.length) return;
  const used = new Set([BUILD.build, ...running.map((name) => name.slice("satchel-build-".length).split("/")[0])]);
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && !used.has(name.slice(PREFIX.length))) await caches.delete(name);
  }
}

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
