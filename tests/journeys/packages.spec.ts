// Python packages of toolsets: from the bundle, from the folder next to the app, from an index that the user enters; checked, kept for
// use without a network, and seen by their own toolset alone.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { asFile, zip } from "./bundle";
import { expect, freePort, kept, ready, Satchel, test } from "./harness";
import { execute, install, newChat, toolset } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 180_000 });

type Wheel = { name: string; fileName: string; bytes: Buffer };

/** A pure wheel with one module, which says its version. */
function wheel(name: string, version: string, requires: string[] = []): Wheel {
  const info = `${name}-${version}.dist-info`;
  const metadata = [`Metadata-Version: 2.1`, `Name: ${name}`, `Version: ${version}`, ...requires.map((one) => `Requires-Dist: ${one}`), "", ""];
  const bytes = zip([
    { path: `${name}/__init__.py`, text: `version = "${version}"\n` },
    { path: `${info}/METADATA`, text: metadata.join("\n") },
    { path: `${info}/WHEEL`, text: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n" },
    { path: `${info}/RECORD`, text: "" },
  ]);
  return { name, fileName: `${name}-${version}-py3-none-any.whl`, bytes };
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** An index as PyPI is one, on loopback. It remembers what it was asked. */
async function index(wheels: Wheel[], hashOf: (wheel: Wheel) => string = (wheel) => sha256(wheel.bytes)) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    response.setHeader("access-control-allow-origin", "*");
    const file = wheels.find((wheel) => path === `/files/${wheel.fileName}`);
    if (file) return response.end(file.bytes);
    const own = wheels.filter((wheel) => path === `/simple/${wheel.name}/`);
    if (own.length === 0) return response.writeHead(404).end();
    const files = own.map((wheel) => ({
      filename: wheel.fileName,
      url: `../../files/${wheel.fileName}`,
      hashes: { sha256: hashOf(wheel) },
      yanked: false,
    }));
    response.setHeader("content-type", "application/vnd.pypi.simple.v1+json").end(JSON.stringify({ meta: { "api-version": "1.0" }, files }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/`, close };
}

const IMPORT = `
import importlib, sys
def load(workspace, names):
    found = {}
    for name in names:
        try:
            found[name] = importlib.import_module(name).version
        except ImportError:
            found[name] = None
    return found
`;

const needing = (id: string, packages: string, files: { path: string; text: Buffer }[] = []) =>
  toolset(id, [{ name: "load", source: IMPORT }], `python_packages: ${packages}`, files);

/** Enters package sources as a person would. */
async function enterSources(page: Page, satchel: Satchel, text: string): Promise<void> {
  await page.goto(`${satchel.origin}/ui/settings#packages`);
  await ready(page);
  await page.getByTestId("package-sources").fill(text);
  await page.getByTestId("package-save").click();
  await expect(page.getByTestId("notice").filter({ hasText: "saved" })).toBeVisible();
}

/** R306 */
test("a declared package comes from the user's index, is kept, and is seen by its toolset alone", async ({ page, profile, satchel }) => {
  const source = await index([wheel("alpha", "1.0"), wheel("alpha", "1.2", ["beta>=2"]), wheel("beta", "2.1"), wheel("beta", "1.0")]);
  try {
    await page.goto(satchel.origin);
    await ready(page);
    await install(page, needing("user", "[alpha]"));
    await install(page, needing("other", "[]"));
    const names = { params: { names: ["alpha", "beta"] } };

    const without = await execute(page, "user", "load", names);
    expect(JSON.stringify(without)).toContain("alpha is not in the bundle's wheels/ and no package source is set");

    await enterSources(page, satchel, source.address);
    expect(source.asked, "entering an address fetches nothing").toEqual([]);
    await page.getByTestId("package-look").click();
    await expect(page.getByTestId("package-found").nth(1)).toContainText("It answers");

    const chat = await newChat(page);
    const loaded = await execute(page, "user", "load", { ...names, chat_id: chat });
    expect(loaded).toMatchObject({ status: 200, result: { alpha: "1.2", beta: "2.1" } });
    const files = source.asked.filter((path) => path.startsWith("/files/"));
    expect(files).toEqual(["/files/alpha-1.2-py3-none-any.whl", "/files/beta-2.1-py3-none-any.whl"]);
    const alone = await execute(page, "other", "load", { ...names, chat_id: chat });
    expect(alone.result, "no other toolset sees them").toEqual({ alpha: null, beta: null });

    await page.goto(`${satchel.origin}/ui/toolsets/user`);
    await expect(page.getByTestId("toolset-packages")).toContainText("alpha 1.2");
    await page.goto(`${satchel.origin}/ui/settings#packages`);
    await expect(page.getByTestId("package-toolset-user")).toContainText("alpha 1.2, beta 2.1");

    // Without any network: neither the index nor the server is there, and the browser starts cold.
    await kept(page);
    await source.close();
    await satchel.stop();
    await profile.close();
    const cold = await profile.open();
    await cold.goto(satchel.origin);
    await ready(cold);
    expect((await execute(cold, "user", "load", names)).result).toEqual({ alpha: "1.2", beta: "2.1" });

    // What was removed is fetched again, which is not possible now, and is said.
    await cold.goto(`${satchel.origin}/ui/settings#packages`);
    await cold.getByTestId("package-remove-user").click();
    await expect(cold.getByTestId("package-toolset-user")).toContainText("Still to be fetched");
    await cold.reload();
    await ready(cold);
    expect(JSON.stringify(await execute(cold, "user", "load", names))).toContain("cannot be reached");
  } finally {
    await source.close();
  }
});

/** R306: hash-checked; what is missing is named. */
test("a wheel that is not what its index says, and one that is nowhere, are refused with a sentence", async ({ page, satchel }) => {
  const wheels = [wheel("forged", "1.0"), wheel("lonely", "1.0", ["nowhere"])];
  const source = await index(wheels, (one) => (one.name === "forged" ? "0".repeat(64) : sha256(one.bytes)));
  try {
    await enterSources(page, satchel, source.address);
    await install(page, needing("forger", "[forged]"));
    await install(page, needing("alone", "[lonely]"));
    const forged = JSON.stringify(await execute(page, "forger", "load", { params: { names: ["forged"] } }));
    expect(forged).toContain("forged-1.0-py3-none-any.whl");
    expect(forged).toContain("is not what the source says it is");
    const alone = JSON.stringify(await execute(page, "alone", "load", { params: { names: [] } }));
    expect(alone).toContain("nowhere, which lonely needs, is neither in the bundle's wheels/ nor at");
    await page.goto(`${satchel.origin}/ui/toolsets/forger`);
    await page.getByTestId("toolset-packages-fetch").click();
    await expect(page.getByTestId("toolset-packages-error")).toContainText("It was not kept");
  } finally {
    await source.close();
  }
});

/** R306: a wheel in the bundle comes before every source. */
test("wheels in the bundle need no source", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const [own, inner] = [wheel("own", "3.0", ["inner"]), wheel("inner", "0.1")];
  const shipped = [own, inner].map(({ fileName, bytes }) => ({ path: `wheels/${fileName}`, text: bytes }));
  await install(page, needing("ships", "[own]", shipped));
  expect((await execute(page, "ships", "load", { params: { names: ["own", "inner"] } })).result).toEqual({ own: "3.0", inner: "0.1" });
});

/** R306: every entry of the lock file is loaded once; what is installed by hand is fetched at once. */
test("everything in the folder next to the app can be loaded", async ({ folder, profile }) => {
  const packages = join(folder, "packages");
  await mkdir(packages);
  for (const { fileName, bytes } of [wheel("one", "1.0", ["two"]), wheel("two", "1.0"), wheel("three", "2.0")]) {
    await writeFile(join(packages, fileName), bytes);
  }
  const satchel = new Satchel(await freePort(), join(folder, "data"), ["--packages", packages]);
  await satchel.start();
  try {
    const page = await profile.open();
    await page.goto(`${satchel.origin}/ui/toolsets`);
    await ready(page);
    const lock = await page.evaluate(async () => (await fetch("/packages/pyodide-lock.json")).json());
    const names = Object.keys(lock.packages);
    expect(names).toEqual(["one", "three", "two"]);
    const bundle = needing("all", `[${names}]`);
    await page.getByTestId("toolset-import-input").setInputFiles(asFile("all.zip", bundle));
    await page.getByTestId("import-confirm").click();
    await page.getByTestId("toolset-card-all").getByRole("link", { name: "Details" }).click();
    await expect(page.getByTestId("toolset-packages")).toContainText("three 2.0");
    const loaded = await execute(page, "all", "load", { params: { names } });
    expect(loaded.result).toEqual({ one: "1.0", two: "1.0", three: "2.0" });

    // The Python of the cage is the one that packages are chosen for.
    const built = await page.evaluate(async () => {
      const { files } = await (await fetch("/satchel-build.json")).json();
      const { path } = files.find((file: { path: string }) => file.path.endsWith("/pyodide-lock.json"));
      return (await fetch(path)).json();
    });
    expect(built.info).toEqual(lock.info);
    expect(built.packages, "nothing is promised that is not in the build").toEqual({});
  } finally {
    await satchel.stop();
  }
});

test("a compiled wheel that a bundle brings is there without a network", async ({ page, satchel }) => {
  const folder = join(import.meta.dirname, "../wheels");
  const fileName = (await readdir(folder)).find((name) => name.startsWith("msgspec-"))!;
  expect(fileName).toContain("pyemscripten");
  const source = `
import msgspec
class Point(msgspec.Struct):
    x: int
def decode(workspace, text):
    return {"x": msgspec.json.decode(text.encode(), type=Point).x, "where": msgspec.__file__}
`;
  await page.goto(satchel.origin);
  await ready(page);
  await kept(page);
  await satchel.stop();
  const wheel = { path: `wheels/${fileName}`, text: await readFile(join(folder, fileName)) };
  await install(page, toolset("compiled", [{ name: "decode", source }], "python_packages: [msgspec]", [wheel]));
  const chat = await newChat(page);
  const decoded = await execute(page, "compiled", "decode", { params: { text: '{"x": 7}' }, chat_id: chat });
  expect(decoded).toMatchObject({ status: 200, result: { x: 7, where: expect.stringContaining("/site-packages/msgspec/") } });
  const refused = await execute(page, "compiled", "decode", { params: { text: '{"x": "seven"}' }, chat_id: chat });
  expect(refused.error).toContain("ValidationError");
});
