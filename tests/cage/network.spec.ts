// The network: every way that Python has leads to the app, and none past it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Cage, expect, test, wheel } from "./harness";

const TOOLSET = {
  "tools/net.py": `
import http.client
import json
import urllib.error
import urllib.request

async def by_pyfetch(url, **options):
    options.pop("workspace")
    from pyodide.http import pyfetch
    answer = await pyfetch(url, **options)
    return {"status": answer.status, "text": await answer.text(), "url": answer.url, "type": answer.headers.get("content-type")}

def by_urllib(url, data=None):
    request = urllib.request.Request(url, data=data and data.encode(), headers={"X-Mine": "yes"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return {"status": answer.status, "text": answer.read().decode(), "url": answer.geturl(), "type": answer.headers["Content-Type"]}

def urllib_error(url):
    try:
        urllib.request.build_opener().open(url)
    except urllib.error.HTTPError as error:
        return {"kind": "HTTPError", "code": error.code, "words": str(error), "body": error.read().decode()}
    except urllib.error.URLError as error:
        return {"kind": "URLError", "words": str(error.reason)}
    return {}

def by_http_client():
    connection = http.client.HTTPSConnection("api.example.com", timeout=1)
    connection.request("PUT", "/put?x=1", body=iter([b"in ", b"pieces"]), headers={"A": "b"}, encode_chunked=True)
    answer = connection.getresponse()
    return {"status": answer.status, "text": answer.read().decode(), "header": answer.getheader("x-server")}

def by_helpers(url):
    from pyodide.http import open_url, pyxhr
    answer = pyxhr.post(url, json={"a": 1})
    return {"open_url": open_url(url).read(), "pyxhr": answer.text, "code": answer.status_code, "type": answer.headers["content-type"]}

def by_requests(url, stream=False):
    import requests
    answer = requests.post(url, json={"a": 1}, timeout=5, stream=stream)
    return {"status": answer.status_code, "text": b"".join(answer.iter_content(4)).decode(), "ok": answer.ok}

def requests_error(url):
    import requests
    try:
        requests.get(url).raise_for_status()
    except requests.exceptions.RequestException as error:
        return {"kind": type(error).__name__, "words": str(error)}
    return {}

def by_urllib3(url):
    import urllib3
    answer = urllib3.PoolManager().request("GET", url)
    return {"status": answer.status, "text": answer.data.decode()}

async def by_javascript(url):
    import js
    from pyodide.ffi import JsException
    try:
        answer = await js.fetch(url)
    except JsException as error:
        return {"raised": error.message}
    return {"text": await answer.text()}
`,
};

const HOSTS = {
  "https://api.example.com/": { body: "hällo", headers: [["content-type", "text/plain; charset=utf-8"]] as [string, string][] },
  "https://api.example.com/put?x=1": { status: 201, status_text: "Created", body: "made", headers: [["x-server", "s"]] as [string, string][] },
  "https://api.example.com/missing": { status: 404, status_text: "Not Found", body: "no such thing" },
  "https://api.example.com/nothing": { status: 204, status_text: "No Content" },
};

test("pyfetch, urllib, http.client, requests and urllib3 reach granted hosts", async ({ cages }) => {
  const wheels = {};
  for (const name of ["idna", "certifi", "charset_normalizer", "urllib3", "requests"]) Object.assign(wheels, await wheel(name));
  const cage = await Cage.with(cages, TOOLSET, wheels);
  await cage.hosts(HOSTS);
  const url = "https://api.example.com/";
  const answer = { status: 200, text: "hällo", url, type: "text/plain; charset=utf-8" };

  expect(await cage.result("tools.net:by_pyfetch", { url })).toEqual(answer);
  expect(await cage.result("tools.net:by_pyfetch", { url, method: "POST", body: "sent", headers: { "X-A": "b" } })).toEqual(answer);
  expect(await cage.result("tools.net:by_pyfetch", { url: `${url}nothing` })).toMatchObject({ status: 204, text: "" });
  const [get, post] = await cage.fetches();
  expect(get).toEqual({ method: "GET", url, headers: [], body: "" });
  expect(post).toEqual({ method: "POST", url, headers: [["content-type", "text/plain;charset=UTF-8"], ["x-a", "b"]], body: "sent" });

  expect(await cage.result("tools.net:by_urllib", { url })).toEqual(answer);
  expect(await cage.result("tools.net:by_urllib", { url, data: "form=1" })).toEqual(answer);
  expect((await cage.fetches()).map(({ method, headers, body }) => [method, headers, body])).toEqual([
    ["GET", [["x-mine", "yes"]], ""],
    ["POST", [["content-type", "application/x-www-form-urlencoded"], ["x-mine", "yes"]], "form=1"],
  ]);
  expect(await cage.result("tools.net:urllib_error", { url: `${url}missing` })).toEqual({
    kind: "HTTPError",
    code: 404,
    words: "HTTP Error 404: Not Found",
    body: "no such thing",
  });
  expect(await cage.result("tools.net:by_http_client")).toEqual({ status: 201, text: "made", header: "s" });
  expect((await cage.fetches()).at(-1)).toMatchObject({ method: "PUT", body: "in pieces", headers: [["a", "b"]] });
  expect(await cage.result("tools.net:by_helpers", { url })).toEqual({ open_url: "hällo", pyxhr: "hällo", code: 200, type: answer.type });
  expect((await cage.fetches())[0]).toMatchObject({ method: "POST", body: '{"a": 1}' });

  expect(await cage.result("tools.net:by_requests", { url })).toEqual({ status: 200, text: "hällo", ok: true });
  expect(await cage.result("tools.net:by_requests", { url, stream: true })).toEqual({ status: 200, text: "hällo", ok: true });
  expect((await cage.fetches())[0]).toMatchObject({ method: "POST", body: '{"a": 1}' });
  expect(await cage.result("tools.net:requests_error", { url: `${url}missing` })).toMatchObject({ kind: "HTTPError" });
  expect(await cage.result("tools.net:by_urllib3", { url })).toEqual({ status: 200, text: "hällo" });

  // A refusal is an exception with the app's sentence, by every way.
  const other = "https://other.example.com/";
  const sentence = "other.example.com is not among the hosts of this toolset";
  expect((await cage.call("tools.net:by_pyfetch", { url: other })).outcome.message).toContain(sentence);
  expect(await cage.result("tools.net:urllib_error", { url: other })).toEqual({ kind: "URLError", words: sentence });
  const requests = await cage.result("tools.net:requests_error", { url: other });
  expect(requests.kind).toBe("ConnectionError");
  expect(requests.words).toContain(sentence);
  expect(await cage.result("tools.net:by_javascript", { url: other })).toEqual({ raised: sentence });
  expect((await cage.result("tools.net:by_javascript", { url: "data:text/plain,x" })).raised).toContain("http and https only");
});

test("nothing leads past the app, from Python or from JavaScript", async ({ cages, canary, opened }) => {
  const cage = await Cage.with(cages, {});
  const probes = await readFile(join(import.meta.dirname, "../../app/src/core_worker/python/probes.py"), "utf8");
  for (const target of [canary.address, opened.origin]) {
    const ways: { way: string; refused: boolean; absent: boolean; detail: string }[] = await cage.evaluate(probes, { target });
    expect(ways.length).toBe(19);
    for (const { way, refused, detail } of ways) expect(refused, `${way}: ${detail}`).toBe(true);
    // A way that is not there shows nothing about the policy, so that it is said which those are.
    expect(ways.filter(({ absent }) => absent).map(({ way }) => way)).toEqual(ABSENT);
  }
  // The browser's own functions can still be had. The page's policy holds them.
  const found: Record<string, string> = await cage.evaluate(HIDDEN_WAYS, { target: canary.address });
  expect(Object.keys(found)).toEqual(["prototype", "uncovered"]);
  for (const [way, outcome] of Object.entries(found)) expect(outcome, way).toMatch(/^refused/);
  expect(canary.connections).toBe(0);
});

/** What a worker with an origin of its own does not have, and what the cage takes away. */
const ABSENT = ["cookies", "cookie-store", "local-storage", "parent-page", "nested-worker"];

test("a tool starts no worker", async ({ cages }) => {
  const cage = await Cage.with(cages, {});
  expect(await cage.evaluate("import json, js\nresult = json.dumps([hasattr(js, name) for name in ('Worker', 'SharedWorker')])")).toEqual([false, false]);
  const [worker] = cages.workers();
  // A module of its own sees the same world, and nothing in that leads to what makes a worker.
  expect(await worker.evaluate(`import("data:text/javascript,export default typeof Worker").then((module) => module.default)`)).toBe("undefined");
  const { looked, found } = await worker.evaluate(() => {
    const seen = new Set<unknown>([globalThis]);
    const found: string[] = [];
    for (const each of seen) {
      if (typeof each === "function" && /^(Shared)?Worker$/.test(each.name)) found.push(each.name);
      if (ArrayBuffer.isView(each) || seen.size > 200_000) continue;
      const parts = Object.values(Object.getOwnPropertyDescriptors(each as object)).flatMap(({ value, get, set }) => [value, get, set]);
      for (const part of [Object.getPrototypeOf(each), ...parts]) {
        if ((typeof part === "object" && part !== null) || typeof part === "function") seen.add(part);
      }
    }
    return { looked: seen.size, found };
  });
  expect(found).toEqual([]);
  expect(looked).toBeGreaterThan(2_000);
});

/** What a worker tries; `target` is the canary. */
const NESTED: Record<string, string> = {
  fetch: "await fetch(target, {mode: 'no-cors'})",
  request: "const r = new XMLHttpRequest(); r.open('GET', target, false); r.send()",
  import: "await import(target)",
  scripts: "importScripts(target)",
  worker: "await new Promise((good, bad) => { const w = new Worker(target); w.onmessage = good; w.onerror = () => bad(new Error('closed')) })",
  socket: "await new Promise((good, bad) => { const s = new WebSocket(target.replace('http', 'ws')); s.onopen = good; s.onerror = () => bad(new Error('closed')) })",
  database: "await new Promise((good, bad) => { const r = indexedDB.open('satchel'); r.onsuccess = good; r.onerror = () => bad(r.error) })",
  caches: "await caches.keys()",
  folder: "await navigator.storage.getDirectory()",
};

/** The frame starts the cage's worker, and could start others: the second wall, should a tool get one after all. */
test("no worker of the cage's frame gets any further", async ({ cages, canary }) => {
  await Cage.with(cages, {});
  const frame = cages.frames().find((frame) => frame.url().includes("/cage.html"))!;
  const answer = (code: string) =>
    frame.evaluate(
      ([target, code]) => {
        const source = `const target = ${JSON.stringify(target)}; (async () => { ${code} })().then(() => postMessage("open"), (error) => postMessage("refused: " + error))`;
        const worker = new Worker("data:text/javascript," + encodeURIComponent(source));
        return new Promise<string>((resolve) => {
          worker.onmessage = (event) => resolve(event.data);
          worker.onerror = (event) => resolve(`did not start: ${event.message}`);
        });
      },
      [canary.address, code] as const,
    );
  expect(await answer("")).toBe("open");
  for (const [way, code] of Object.entries(NESTED)) expect(await answer(code), way).toMatch(/^refused/);
  expect(canary.connections).toBe(0);
});

const HIDDEN_WAYS = `
import asyncio
import json

import js

target = json.loads(arguments)["target"]
found = {}

async def attempt(name, action):
    try:
        await asyncio.wait_for(action(), 20)
        found[name] = "open"
    except TimeoutError:
        found[name] = "no answer"
    except Exception as error:
        found[name] = "refused: " + str(error)

async def prototype():
    await js.WorkerGlobalScope.prototype.fetch.call(js.globalThis, target)

async def uncovered():
    ours = js.fetch
    js.Reflect.deleteProperty(js.globalThis, "fetch")
    try:
        await js.fetch(target)
    finally:
        js.fetch = ours

await attempt("prototype", prototype)
await attempt("uncovered", uncovered)
result = json.dumps(found)
`;

/** Where the app's tabs tell each other what has changed; see app/src/browser/tab_news.rs. */
const CHANNELS = ["satchel-chats", "satchel-answers", "satchel-toolsets", "satchel-models"];

/** Listens on the channels in the cage's worker, says something on each, and stays. */
const OVERHEAR = `
import json

import js
from pyodide.ffi import create_proxy

channels = json.loads(arguments)["channels"]
js.heardInCage = js.Array.new()
js.channelsOfCage = js.Array.new()
for name in channels:
    channel = js.BroadcastChannel.new(name)
    channel.onmessage = create_proxy(lambda event: js.heardInCage.push(event.data))
    channel.postMessage("from the cage")
    js.channelsOfCage.push(channel)
result = json.dumps("listens")
`;

/** What was heard there, after it has heard a word of its own. */
const HEARD = `
import asyncio
import json
import js
from pyodide.ffi import create_proxy

name = json.loads(arguments)["channels"][-1]
own = asyncio.get_running_loop().create_future()
listening = js.channelsOfCage.at(-1)
listening.onmessage = create_proxy(lambda event: own.set_result(True) if event.data == "own" else js.heardInCage.push(event.data))
js.BroadcastChannel.new(name).postMessage("own")
await asyncio.wait_for(own, 20)
result = json.dumps([*js.heardInCage.to_py()])
`;

test("the app's channels carry nothing into a cage, and nothing out of it", async ({ cages, opened }) => {
  // A second page of the app's origin shows that the channels are open to whom they are for.
  const beside = await opened.context.newPage();
  await beside.goto(`${opened.origin}/satchel-build.json`);
  for (const page of [cages, beside]) {
    await page.evaluate((names) => {
      const heard: string[] = [];
      const channels = names.map((name) => {
        const channel = new BroadcastChannel(name);
        channel.onmessage = (event) => heard.push(event.data);
        return channel;
      });
      Object.assign(globalThis, { heard, channels });
    }, CHANNELS);
  }
  type Listening = { heard: string[]; channels: BroadcastChannel[] };
  const heard = (page: typeof cages) => page.evaluate(() => (globalThis as unknown as Listening).heard);
  const say = (page: typeof cages, words: string) =>
    page.evaluate((words) => (globalThis as unknown as Listening).channels.forEach((channel) => channel.postMessage(words)), words);

  const cage = await Cage.with(cages, {});
  expect(await cage.evaluate(OVERHEAR, { channels: CHANNELS })).toBe("listens");
  await say(cages, "from the page");
  await expect.poll(() => heard(beside)).toEqual(CHANNELS.map(() => "from the page"));
  await say(beside, "from beside");
  await expect.poll(() => heard(cages)).toEqual(CHANNELS.map(() => "from beside"));

  const inside: string[] = await cage.evaluate(HEARD, { channels: CHANNELS });
  expect(inside.filter((words) => /page|beside/.test(words))).toEqual([]);
  // The cage has spoken once more by now.
  await say(cages, "the end");
  await expect.poll(async () => (await heard(beside)).at(-1)).toBe("the end");
  expect(new Set(await heard(beside))).toEqual(new Set(["from the page", "the end"]));
  await beside.close();
});

/** Python cannot write `import()`, and the cage's policy knows no `eval`; so the browser's tools do, in the worker that Python runs in. */
test("the cage's own worker imports no script from anywhere", async ({ cages, canary, opened }) => {
  await Cage.with(cages, {});
  const [worker] = cages.workers();
  const imported = (address: string) =>
    worker.evaluate(`import(${JSON.stringify(address)}).then((module) => "open: " + module.default, (error) => "refused: " + error)`);
  expect(await imported("data:text/javascript,export default 1")).toBe("open: 1");
  for (const address of [`${canary.address}/script.js`, `${opened.origin}/core-worker.js`, `blob:${opened.origin}/x`]) {
    expect(await imported(address), address).toMatch(/^refused/);
  }
  expect(canary.connections).toBe(0);
});

test("a cage without a toolset asks for nothing", async ({ cages }) => {
  const cage = await Cage.open(cages);
  const answer = await cage.plain({
    type: "evaluate",
    source: "from pyodide.http import pyfetch\nawait pyfetch('https://api.example.com/')",
    arguments: "{}",
  });
  expect(answer.traceback).toContain("this cage serves no toolset, so no host is granted to it");
  expect(await cage.fetches()).toEqual([]);
});
