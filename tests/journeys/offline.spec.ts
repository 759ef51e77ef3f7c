// On the device: the app opens with no server, and changes only when its user agrees.
import { createHash } from "node:crypto";
import { cp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { connected, DIST, expect, kept, ready, test, type Profile, type Satchel } from "./harness";
import { execute, install, newChat, toolset, workspace } from "./toolset";

test("after one visit the app opens with the server stopped and the browser cold", async ({ page, profile, satchel }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.getByRole("link", { name: "Settings", exact: true }).first().click();
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await kept(page);
  await profile.close();
  await satchel.stop();

  const cold = await profile.open();
  for (const path of ["/", "/ui/toolsets", "/ui/chat/no-such-chat"]) {
    await cold.goto(satchel.origin + path);
    await ready(cold);
  }
  await expect(cold.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(cold.getByTestId("offline-badge").first()).toBeVisible();
});

const TALLY = `
def tally(workspace, text):
    (workspace / "tally.txt").write_text(text.upper())
    return {"letters": len(text)}
`;

/** R259, R300, I6 */
test("with no network and no server a cold browser reads every chat, runs a Python tool, shows what came, and exports it", async ({ page, profile, satchel }) => {
  test.setTimeout(180_000);
  await page.goto(satchel.origin);
  await ready(page);
  const schema = "{type: object, properties: {text: {type: string}}, required: [text]}";
  await install(page, toolset("counter", [{ name: "tally", source: TALLY, schema }]));
  for (const words of ["The first chat", "The second chat"]) {
    await page.getByTestId("new-chat").click();
    await page.getByTestId("chat-input").fill(words);
    await page.getByTestId("send-button").click();
    await expect(page.getByTestId("chat-title")).toHaveValue(words);
  }
  await kept(page);
  await profile.close();
  await satchel.stop();

  const cold = await profile.open({ acceptDownloads: true });
  await cold.context().setOffline(true);
  await cold.goto(satchel.origin);
  await ready(cold);
  for (const words of ["The first chat", "The second chat"]) {
    await cold.getByTestId("chat-list-item").filter({ hasText: words }).click();
    await expect(cold.getByTestId("message-user")).toContainText([words]);
  }
  // By hand, from the palette, as a person does without a model.
  await cold.getByTestId("palette-trigger").click();
  await cold.getByTestId("palette-input").fill("tally");
  await cold.keyboard.press("Enter");
  await cold.getByTestId("palette-form/text").fill("satchel");
  await cold.getByTestId("palette-run").click();
  const call = cold.getByTestId("tool-call-message");
  await expect(call).toContainText("Completed", { timeout: 60_000 });
  await call.getByTestId("tool-call-expand").click();
  await expect(call).toContainText("letters");
  const chat = cold.url().split("/").at(-1)!;
  expect(await workspace(cold, chat)).toEqual({ "tally.txt": "SATCHEL" });

  // The chat, everything, and the toolset go out.
  let saving = cold.waitForEvent("download");
  await cold.getByTestId("chat-export").click();
  expect(await readFile(await (await saving).path(), "utf8")).toContain('"letters": 7');
  await cold.goto(`${satchel.origin}/ui/settings#storage`);
  await ready(cold);
  saving = cold.waitForEvent("download");
  await cold.getByTestId("export-all").click();
  expect((await readFile(await (await saving).path())).subarray(0, 2).toString()).toBe("PK");
  await cold.goto(`${satchel.origin}/ui/toolsets`);
  await ready(cold);
  saving = cold.waitForEvent("download");
  await cold.getByTestId("toolset-export-counter").click();
  expect((await saving).suggestedFilename()).toBe("counter-v1.0.0.zip");
});

test("the app can be installed", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  const client = await page.context().newCDPSession(page);
  const { errors } = await client.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const { installabilityErrors } = await client.send("Page.getInstallabilityErrors");
  expect(installabilityErrors.filter((error) => error.errorId !== "in-incognito")).toEqual([]);
});

test("nothing of the API is ever kept", async ({ page, satchel }) => {
  await page.goto(satchel.address);
  await ready(page);
  await kept(page);
  await page.evaluate(() => fetch("/api/v1/policy").then((answer) => answer.text()));
  const names = await page.evaluate(async () => {
    const paths: string[] = [];
    for (const name of await caches.keys()) {
      for (const request of await (await caches.open(name)).keys()) paths.push(new URL(request.url).pathname);
    }
    return paths;
  });
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((path) => path.startsWith("/api") || path.startsWith("/local"))).toEqual([]);
});

/** Makes a second version of the app under another build: the same files but for one script, and a page whose chunk has another name. */
async function nextVersion(folder: string): Promise<{ app: string; build: string }> {
  const app = join(folder, "next");
  await cp(DIST, app, { recursive: true });
  const old = JSON.parse(await readFile(join(app, "satchel-build.json"), "utf8"));
  const build = "feedfacefeedface";
  const rewrite = async (name: string, change: (text: string) => string) => {
    const text = change(await readFile(join(app, name), "utf8"));
    await writeFile(join(app, name), text);
    await rm(join(app, `${name}.br`), { force: true });
    const file = old.files.find((file: { path: string }) => file.path === `/${name}`);
    if (!file) return;
    file.sha256 = createHash("sha256").update(text).digest("hex");
    file.bytes = Buffer.byteLength(text);
    file.br_bytes = null;
  };
  const named = (text: string) => text.replaceAll(old.build, build);
  await rewrite("index.html", named);
  await rewrite("404.html", named);
  const chunk = old.files.find((file: { path: string }) => RENAMED.test(file.path));
  const renamed = chunk.path.replace(/-[0-9a-f]{16}\./, "-feedfacefeedface.");
  await rename(join(app, chunk.path), join(app, renamed));
  await rm(join(app, `${chunk.path}.br`), { force: true });
  Object.assign(chunk, { path: renamed, br_bytes: null });
  old.build = build;
  const kept = old.files.filter((file: { path: string }) => !["/service-worker.js", "/404.html"].includes(file.path));
  const description = JSON.stringify({ ...old, files: kept });
  await rewrite("service-worker.js", (text) => text.replace(/const BUILD = .*;/, () => `const BUILD = ${description};`));
  await writeFile(join(app, "satchel-build.json"), JSON.stringify(old));
  return { app, build };
}

/** The chunk of the page of toolsets, which the second version calls otherwise. */
const RENAMED = /^\/chunk-managing-[0-9a-f]{16}\.wasm$/;

/** The builds that are kept. */
const builds = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith("satchel-")).map((name) => name.slice("satchel-".length)));

const buildOf = (page: Page) => page.locator("meta[name=satchel-build]").getAttribute("content");

const SPIN = `
def spin(workspace):
    print("spinning", flush=True)
    while True:
        pass
`;

test("a new version is offered, waits for a yes, and leaves the old tab its files", async ({ page, profile, satchel, folder }) => {
  test.setTimeout(180_000);
  await page.goto(satchel.origin);
  await ready(page);
  await kept(page);
  const first = await buildOf(page);
  const oldTab = await profile.context!.newPage();
  await oldTab.goto(`${satchel.origin}/ui/settings`);
  await ready(oldTab);

  const next = await nextVersion(folder);
  await satchel.stop();
  await satchel.start(next.app);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("update-ready")).toBeVisible();
  expect(await buildOf(page), "nothing changes without a yes").toBe(first);

  // While something runs, in whichever tab, the update is not taken.
  await install(oldTab, toolset("spinner", [{ name: "spin", source: SPIN }]));
  const running = execute(oldTab, "spinner", "spin", { chat_id: await newChat(oldTab) });
  await expect(oldTab.getByTestId("run-output")).toHaveText("spinning", { timeout: 60_000 });
  await page.getByTestId("update-ready").getByRole("button", { name: "Update now" }).click();
  await expect(page.getByText("Satchel was not updated because something is running")).toBeVisible();
  expect(await buildOf(page)).toBe(first);
  await oldTab.getByTestId("run-stop").click();
  expect((await running).error).toContain("dropped");

  await page.getByTestId("update-ready").getByRole("button", { name: "Update now" }).click();
  await expect.poll(() => buildOf(page).catch(() => null)).toBe(next.build);
  await ready(page);

  // The tab of the old version still runs, and still finds its own lazy files, without any server.
  expect(await buildOf(oldTab)).toBe(first);
  await satchel.stop();
  const status = await oldTab.evaluate(async (build) => (await fetch(`/satchel-build.json?v=${build}`)).json(), first);
  expect(status.build).toBe(first);
  await oldTab.getByTestId("cage-check").click();
  await expect(oldTab.getByTestId("cage-python")).toContainText("3.14", { timeout: 60_000 });
  // A page that it had not opened yet, and whose chunk the new version does not have.
  await oldTab.getByRole("link", { name: "Toolsets", exact: true }).first().click();
  await expect(oldTab.getByTestId("toolset-export-spinner")).toBeVisible();

  // When its last tab is closed, its files go.
  await oldTab.close();
  await page.reload();
  await ready(page);
  await expect.poll(() => builds(page)).toEqual([next.build]);
});

test("an update keeps what is needed without a network, and no address gets around the question", async ({
  page,
  satchel,
  folder,
}) => {
  await page.goto(satchel.origin);
  await ready(page);
  await kept(page);
  const first = await buildOf(page);
  const next = await nextVersion(folder);
  await satchel.stop();
  await satchel.start(next.app);
  for (const path of ["/ui", "/no/such/place", "/ui/settings"]) {
    await page.goto(satchel.origin + path);
    await ready(page);
    expect(await buildOf(page), path).toBe(first);
  }
  await page.getByTestId("update-ready").getByRole("button", { name: "Update now" }).click();
  await expect.poll(() => buildOf(page).catch(() => null)).toBe(next.build);
  await ready(page);
  await satchel.stop();
  await expect.poll(() => builds(page)).toEqual([next.build]);
  await page.getByTestId("cage-check").click();
  await expect(page.getByTestId("cage-python")).toContainText("3.14", { timeout: 60_000 });
});

/** A visit, a new version that waits for a yes, and every tab closed. The first build, and the second. */
async function closedWhileOneWaits({ page, profile, satchel, folder }: Given): Promise<{ first: string | null; second: string }> {
  await page.goto(satchel.origin);
  await ready(page);
  await kept(page);
  const first = await buildOf(page);
  const next = await nextVersion(folder);
  await satchel.stop();
  await satchel.start(next.app);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("update-ready")).toBeVisible();
  await profile.close();
  return { first, second: next.build };
}

type Given = { page: Page; profile: Profile; satchel: Satchel; folder: string };

/** The build of the version that is in charge, whichever build's page it opens. */
const inCharge = (page: Page) => page.evaluate(async () => (await (await fetch("/satchel-build.json")).json()).build);

test("closing every tab is no yes to a new version", async ({ page, profile, satchel, folder }) => {
  test.setTimeout(120_000);
  const { first, second } = await closedWhileOneWaits({ page, profile, satchel, folder });
  await satchel.stop();
  const cold = await profile.open();
  for (const path of ["/", "/ui/settings", "/index.html", "/ui/toolsets"]) {
    await cold.goto(satchel.origin + path);
    await ready(cold);
    expect(await buildOf(cold), path).toBe(first);
    await expect(cold.getByTestId("update-ready")).toBeVisible();
  }
  // The browser has put the new version in charge all the same, which is what this is about.
  expect(await inCharge(cold)).toBe(second);
  await expect(cold.locator("main h1").first()).not.toHaveText("This page could not be loaded");
  expect(new Set(await builds(cold))).toEqual(new Set([first, second]));

  await cold.goto(satchel.origin);
  await ready(cold);
  await cold.getByTestId("update-ready").getByRole("button", { name: "Update now" }).click();
  await expect.poll(() => buildOf(cold).catch(() => null)).toBe(second);
  await ready(cold);
  await expect.poll(() => builds(cold)).toEqual([second]);
  await cold.reload();
  await ready(cold);
  expect(await buildOf(cold)).toBe(second);
  await expect(cold.getByTestId("update-ready")).toHaveCount(0);
});

test("a hard reload shows what the server has, and the offer stays", async ({ page, profile, satchel, folder }) => {
  const { first, second } = await closedWhileOneWaits({ page, profile, satchel, folder });
  const again = await profile.open();
  await again.goto(satchel.origin);
  await ready(again);
  expect(await buildOf(again)).toBe(first);
  const client = await again.context().newCDPSession(again);
  await client.send("Page.reload", { ignoreCache: true });
  await expect.poll(() => buildOf(again).catch(() => null)).toBe(second);
  await ready(again);
  await expect(again.getByTestId("update-ready")).toBeVisible();
  await again.reload();
  await ready(again);
  expect(await buildOf(again)).toBe(first);
});

test("a build that no longer starts gives way to the new one", async ({ page, profile, satchel, folder }) => {
  test.setTimeout(120_000);
  const { first, second } = await closedWhileOneWaits({ page, profile, satchel, folder });
  const again = await profile.open();
  await again.goto(satchel.origin);
  await ready(again);
  expect(await buildOf(again)).toBe(first);
  await expect(again.getByTestId("update-ready")).toBeVisible();

  // Its page is there and does nothing: three openings, each long after the other, are waited for.
  await again.evaluate(async (first) => {
    const cache = await caches.open(`satchel-${first}`);
    await cache.put("/index.html", new Response("<!doctype html>silent", { headers: { "content-type": "text/html" } }));
  }, first);
  for (let opening = 0; opening < 3; opening += 1) {
    await again.goto(satchel.origin);
    await expect(again.locator("body")).toHaveText("silent");
    await again.evaluate(async () => {
      const cache = await caches.open("agreed-build");
      const note = await (await cache.match("/agreed-build.json"))!.json();
      await cache.put("/agreed-build.json", new Response(JSON.stringify({ ...note, at: 0 })));
    });
  }
  await again.goto(satchel.origin);
  await ready(again);
  expect(await buildOf(again)).toBe(second);
  await expect(again.getByTestId("update-ready")).toHaveCount(0);
});

test("a build of which a file was cleared gives way to the new one", async ({ page, profile, satchel, folder }) => {
  const { first, second } = await closedWhileOneWaits({ page, profile, satchel, folder });
  const again = await profile.open();
  await again.goto(satchel.origin);
  await ready(again);
  expect(await buildOf(again)).toBe(first);
  await again.evaluate(async (first) => {
    const cache = await caches.open(`satchel-${first}`);
    const [chunk] = (await cache.keys()).filter((request) => request.url.includes("/chunk-managing-"));
    await cache.delete(chunk);
  }, first);
  await again.reload();
  await ready(again);
  expect(await buildOf(again)).toBe(second);
});

test("a version with a file that is not its own is never offered", async ({ page, satchel, folder }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await kept(page);
  const first = await buildOf(page);
  const next = await nextVersion(folder);
  // As long as it should be: that much the server sees for itself when it starts.
  const script = await readFile(join(next.app, "early.js"));
  script[script.length - 1] ^= 1;
  await writeFile(join(next.app, "early.js"), script);
  await rm(join(next.app, "early.js.br"), { force: true });
  const description = JSON.parse(await readFile(join(next.app, "satchel-build.json"), "utf8"));
  description.files.find(({ path }: { path: string }) => path === "/early.js").br_bytes = null;
  await writeFile(join(next.app, "satchel-build.json"), JSON.stringify(description));
  await satchel.stop();
  await satchel.start(next.app);
  const end = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const ended = new Promise<string>((resolve) => {
      registration.addEventListener("updatefound", () => {
        const worker = registration.installing!;
        worker.addEventListener("statechange", () => resolve(worker.state));
      });
    });
    // That it does not install is what is looked for.
    await registration.update().catch(() => {});
    return ended;
  });
  expect(end).toBe("redundant");
  await page.reload();
  await ready(page);
  expect(await buildOf(page)).toBe(first);
  await expect(page.getByTestId("update-ready")).toHaveCount(0);
});
