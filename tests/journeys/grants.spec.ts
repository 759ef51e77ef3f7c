// The network of tools: declared hosts, after a yes, through the page or the server, and nothing else.
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { wheel } from "../cage/harness";
import { connected, expect, freePort, ready, Satchel, test } from "./harness";
import { execute, install, newChat, toolset } from "./toolset";

test.describe.configure({ timeout: 180_000 });

/** A host that lets other sites read it, and remembers what it was asked. */
async function host() {
  const asked: { path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push({ path: request.url ?? "", headers: request.headers, body });
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    response.setHeader("access-control-expose-headers", "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    if (request.url === "/moved") return response.writeHead(302, { location: "/elsewhere" }).end();
    response.setHeader("content-type", "application/json").setHeader("set-cookie", "spy=1");
    response.writeHead(request.url === "/missing" ? 404 : 200).end(JSON.stringify({ path: request.url, body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const name = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      // A browser opens more connections than it uses, and keeps them.
      server.closeAllConnections();
    });
  return { asked, name, close };
}

const FETCH = `
from pyodide.http import pyfetch
import urllib.request, urllib.error

async def fetch(workspace, url, way="pyfetch"):
    try:
        if way == "pyfetch":
            answer = await pyfetch(url, method="POST", body="hello", headers={"x-mine": "1"})
            return {"status": answer.status, "json": await answer.json()}
        request = urllib.request.Request(url, data=b"hello", headers={"X-Mine": "1"})
        with urllib.request.urlopen(request) as answer:
            return {"status": answer.status, "text": answer.read().decode()}
    except urllib.error.HTTPError as error:
        return {"status": error.code}
    except Exception as error:
        return {"refused": str(error)}
`;

/** R303: asked once, remembered, withdrawn. */
test("a declared host is asked for once, remembered, and can be withdrawn", async ({ page, satchel }) => {
  const outside = await host();
  try {
    await page.goto(satchel.address);
    await ready(page);
    const more = `network: {hosts: ["${outside.name}"]}`;
    await install(page, toolset("net", [{ name: "fetch", source: FETCH }], more));
    const chat = await newChat(page);
    const asking = { chat_id: chat, params: { url: `http://${outside.name}/one` } };

    const denied = execute(page, "net", "fetch", asking);
    await expect(page.getByTestId("host-grant")).toContainText(outside.name);
    await expect(page.getByTestId("host-grant")).toContainText("The net toolset");
    await page.getByTestId("host-grant-deny").click();
    expect((await denied).result.refused).toContain(outside.name);
    expect(outside.asked).toEqual([]);

    const allowed = execute(page, "net", "fetch", asking);
    await page.getByTestId("host-grant-allow").click();
    expect((await allowed).result).toEqual({ status: 200, json: { path: "/one", body: "hello" } });
    const [first] = outside.asked.filter((request) => request.path === "/one" && request.body);
    expect(first.headers["x-mine"]).toBe("1");
    expect(first.headers.cookie).toBeUndefined();
    expect(first.headers.authorization).toBeUndefined();

    // Remembered, by the other ways too.
    const urllib = { ...asking, params: { url: `http://${outside.name}/two`, way: "urllib" } };
    expect((await execute(page, "net", "fetch", urllib)).result).toMatchObject({ status: 200 });
    const missing = { ...asking, params: { url: `http://${outside.name}/missing`, way: "urllib" } };
    expect((await execute(page, "net", "fetch", missing)).result).toEqual({ status: 404 });
    // A host that sends one elsewhere is not followed.
    const moved = { ...asking, params: { url: `http://${outside.name}/moved` } };
    expect((await execute(page, "net", "fetch", moved)).result.refused).toBeTruthy();
    expect(outside.asked.map((request) => request.path)).not.toContain("/elsewhere");

    await page.goto(`${satchel.origin}/ui/toolsets/net`);
    await ready(page);
    await page.getByTestId(`host-withdraw-${outside.name}`).click();
    const again = execute(page, "net", "fetch", asking);
    await page.getByTestId("host-grant-deny").click();
    expect((await again).result.refused).toContain(outside.name);
  } finally {
    await outside.close();
  }
});

const GATHER = `
import asyncio
from pyodide.http import pyfetch

async def gather(workspace, url):
    async def one(path):
        try:
            return (await pyfetch(url + path)).status
        except Exception as error:
            return "refused"
    together = await asyncio.gather(*[one(f"/{at}") for at in range(5)])
    return {"together": together, "after": await one("/after")}
`;

/** R303: the question is about the host, not about each request. */
test("requests that are made together ask once for their host, and a no holds for the call", async ({ page, satchel }) => {
  const outside = await host();
  try {
    await page.goto(satchel.address);
    await ready(page);
    await install(page, toolset("net", [{ name: "gather", source: GATHER }], `network: {hosts: ["${outside.name}"]}`));
    const asking = { chat_id: await newChat(page), params: { url: `http://${outside.name}` } };
    for (const [answer, each] of [["deny", "refused"], ["allow", 200]] as const) {
      const called = execute(page, "net", "gather", asking);
      await page.getByTestId(`host-grant-${answer}`).click();
      expect((await called).result).toEqual({ together: Array(5).fill(each), after: each });
      await expect(page.getByTestId("host-grant")).toHaveCount(0);
    }
  } finally {
    await outside.close();
  }
});

/** R303: a yes is for one toolset, whoever else names the same host. */
test("two toolsets that declare the same host are asked for one by one", async ({ page, satchel }) => {
  const outside = await host();
  try {
    await page.goto(satchel.address);
    await ready(page);
    const more = `network: {hosts: ["${outside.name}"]}`;
    for (const id of ["net", "other"]) await install(page, toolset(id, [{ name: "fetch", source: FETCH }], more));
    const chat = await newChat(page);
    const fetch = (id: string) => execute(page, id, "fetch", { chat_id: chat, params: { url: `http://${outside.name}/${id}` } });

    const granted = fetch("net");
    await page.getByTestId("host-grant-allow").click();
    expect((await granted).result.status).toBe(200);
    const denied = fetch("other");
    await expect(page.getByTestId("host-grant")).toContainText("The other toolset");
    await page.getByTestId("host-grant-deny").click();
    expect((await denied).result.refused).toContain(outside.name);
    expect(outside.asked.map((request) => request.path)).not.toContain("/other");
    // The yes of the first is as it was.
    expect((await fetch("net")).result.status).toBe(200);
  } finally {
    await outside.close();
  }
});

/** R303 */
test("an undeclared host, the app itself and a host of another toolset are refused at once", async ({ page, satchel, canary }) => {
  const outside = await host();
  try {
    await page.goto(satchel.address);
    await ready(page);
    await install(page, toolset("net", [{ name: "fetch", source: FETCH }], `network: {hosts: ["${outside.name}"]}`));
    await install(page, toolset("other", [{ name: "fetch", source: FETCH }]));
    const chat = await newChat(page);
    const granted = execute(page, "net", "fetch", { chat_id: chat, params: { url: `http://${outside.name}/` } });
    await page.getByTestId("host-grant-allow").click();
    expect((await granted).result.status).toBe(200);
    const before = outside.asked.length;

    const refused = async (id: string, url: string) =>
      (await execute(page, id, "fetch", { chat_id: chat, params: { url } })).result.refused;
    expect(await refused("net", `${canary.address}/`)).toContain("network.hosts");
    expect(await refused("other", `http://${outside.name}/`)).toContain("network.hosts");
    expect(await refused("net", `${satchel.origin}/api/v1/policy`)).toBeTruthy();
    expect(await refused("net", "/local/toolsets")).toBeTruthy();
    expect(await refused("net", "file:///etc/passwd")).toBeTruthy();
    expect(outside.asked.length).toBe(before);
    expect(canary.connections).toBe(0);
  } finally {
    await outside.close();
  }
});

/** A host as most are: it says nothing of other sites, so that no page of theirs may read it. */
async function closedHost() {
  const asked: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    if (request.url === "/moved") return response.writeHead(302, { location: "/elsewhere" }).end();
    response.setHeader("x-told", "yes").setHeader("set-cookie", "spy=1");
    response.writeHead(request.url === "/missing" ? 404 : 200).end(`${request.method} ${body}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const name = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      // A browser opens more connections than it uses, and keeps them.
      server.closeAllConnections();
    });
  return { asked, name, close };
}

const READ = `
from pyodide.http import pyfetch
import urllib.request, urllib.error

async def read(workspace, url, method="GET"):
    try:
        if method == "GET":
            with urllib.request.urlopen(url) as answer:
                return {"status": answer.status, "text": answer.read().decode(), "told": answer.headers["x-told"]}
        # Such a request a browser sends without asking the host first.
        answer = await pyfetch(url, method=method, body="hello", headers={"content-type": "text/plain"})
        return {"status": answer.status, "text": await answer.string()}
    except urllib.error.HTTPError as error:
        return {"status": error.code}
    except Exception as error:
        return {"refused": str(error)}
`;

/** R303 */
test("a host that no page may read is read through the server, and what changes something is sent once", async ({ page, folder }) => {
  const outside = await closedHost();
  const unlisted = await closedHost();
  const data = join(folder, "data");
  await mkdir(data);
  await writeFile(join(data, "satchel.toml"), `[outbound]\nprivate_hosts = ["${outside.name}"]\n`);
  const satchel = new Satchel(await freePort(), data);
  await satchel.start();
  try {
    await page.goto(satchel.origin);
    await ready(page);
    const more = `network: {hosts: ["${outside.name}", "${unlisted.name}"]}`;
    await install(page, toolset("net", [{ name: "read", source: READ }], more));
    const chat = await newChat(page);
    const read = async (url: string, method = "GET") =>
      (await execute(page, "net", "read", { chat_id: chat, params: { url, method } })).result;
    const sent = (path: string) => outside.asked.filter((request) => request.path === path).map(({ method }) => method);

    // With no server connected, the browser's no is the last word.
    const alone = read(`http://${outside.name}/alone`);
    await page.getByTestId("host-grant-allow").click();
    expect((await alone).refused).toContain("(CORS)");

    await page.goto(satchel.address);
    await connected(page);
    expect(await read(`http://${outside.name}/one`)).toEqual({ status: 200, text: "GET ", told: "yes" });
    const through = outside.asked.filter((request) => request.path === "/one").at(-1)!;
    expect(through.headers["user-agent"]).toMatch(/^satchel\//);
    for (const name of ["cookie", "authorization", "origin", "referer"]) expect(through.headers[name]).toBeUndefined();
    expect(await read(`http://${outside.name}/missing`)).toEqual({ status: 404 });
    expect(await read(`http://${outside.name}/write`, "POST")).toEqual({ status: 200, text: "POST hello" });
    expect(sent("/write")).toEqual(["POST"]);
    expect((await read(`http://${outside.name}/moved`)).refused).toContain("redirects");
    expect(sent("/elsewhere")).toEqual([]);

    // The grant is asked for as before, and the server's operator has a word of their own.
    const refused = read(`http://${unlisted.name}/`);
    await page.getByTestId("host-grant-allow").click();
    expect((await refused).refused).toContain("private_hosts");
    expect(await read(`http://${unlisted.name}/write`, "POST")).toHaveProperty("refused");
    expect(unlisted.asked.filter((request) => request.path === "/write").length).toBe(1);

    await satchel.stop();
    expect((await read(`http://${outside.name}/gone`)).refused).toContain("(CORS)");
    expect(await read(`http://${outside.name}/gone`, "POST")).toHaveProperty("refused");
    expect(sent("/gone").filter((method) => method === "POST").length).toBe(1);
  } finally {
    await satchel.stop();
    await outside.close();
    await unlisted.close();
  }
});

/** R303, R306: the library that most people take, from the bundle's own wheels, through the real page. */
test("requests reaches a granted host, and is told of a refusal", async ({ page, satchel }) => {
  const outside = await host();
  try {
    await page.goto(satchel.origin);
    await ready(page);
    const source = `
import requests

def fetch(workspace, url):
    try:
        answer = requests.post(url, json={"a": 1}, headers={"X-Mine": "1"}, timeout=30)
    except requests.exceptions.ConnectionError as error:
        return {"refused": str(error)}
    return {"status": answer.status_code, "json": answer.json(), "type": answer.headers["content-type"]}
`;
    const names = ["idna", "certifi", "charset_normalizer", "urllib3", "requests"];
    const wheels = Object.assign({}, ...(await Promise.all(names.map(wheel)))) as Record<string, Buffer>;
    const shipped = Object.entries(wheels).map(([name, bytes]) => ({ path: `wheels/${name}`, text: bytes }));
    const more = `network: {hosts: ["${outside.name}"]}\npython_packages: [requests]`;
    await install(page, toolset("net", [{ name: "fetch", source }], more, shipped));
    const chat = await newChat(page);
    const asking = { chat_id: chat, params: { url: `http://${outside.name}/by-requests` } };

    const denied = execute(page, "net", "fetch", asking);
    await page.getByTestId("host-grant-deny").click();
    expect((await denied).result.refused).toContain(outside.name);
    expect(outside.asked).toEqual([]);

    const allowed = execute(page, "net", "fetch", asking);
    await page.getByTestId("host-grant-allow").click();
    expect((await allowed).result).toEqual({
      status: 200,
      json: { path: "/by-requests", body: '{"a": 1}' },
      type: "application/json",
    });
    const asked = outside.asked.find((request) => request.body);
    expect(asked?.headers).toMatchObject({ "x-mine": "1", "content-type": "application/json" });
    expect(asked?.headers.cookie).toBeUndefined();
  } finally {
    await outside.close();
  }
});
