// Toolsets come in from a file, a folder, a drop or an address, are looked at, switched, exported, upgraded, go and come back.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";

import type { Page } from "@playwright/test";

import { asFile, files, manifest, zip } from "./bundle";
import { expectSound } from "./axe";
import { damage, expect, kept, ready, type Satchel, setting, test } from "./harness";
import { install as bring, toolset as pythonToolset } from "./toolset";

/** Those that are installed; the one that is built in is always there. */
const list = (page: Page) =>
  page.evaluate(async () => (await (await fetch("/local/toolsets")).json()).toolsets.filter(({ source_type }: { source_type: string }) => source_type !== "builtin"));
const details = (page: Page) => page.evaluate(async () => (await fetch("/local/toolsets/my-toolset")).json());

async function openToolsets(page: Page, satchel: Satchel): Promise<void> {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
}

async function install(page: Page, name: string, bytes: Buffer | string): Promise<void> {
  await page.getByTestId("toolset-import-input").setInputFiles(asFile(name, bytes));
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("import-dialog")).toHaveCount(0);
}

/** Drops files on the page as a person would. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([name, bytes]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(bytes as number[])], name as string));
      return transfer;
    },
    [name, [...bytes]] as const,
  );
  const target = page.getByTestId("toolset-drop");
  await target.dispatchEvent("dragenter", { dataTransfer: transfer });
  await expect(page.getByText("Drop a ZIP, a toolset.yaml or a folder")).toBeVisible();
  await target.dispatchEvent("drop", { dataTransfer: transfer });
}

// R057, R058, R234
test("a dropped ZIP is shown whole, then installed", async ({ page, satchel }) => {
  await openToolsets(page, satchel);
  await expect(page.getByText("No toolsets are installed")).toBeVisible();
  await drop(page, "my-toolset.zip", zip(files()));
  const dialog = page.getByTestId("import-dialog");
  await expect(dialog.getByTestId("import-outcome")).toHaveText("It is not on this device yet.");
  await expect(dialog.getByTestId("server-line")).toHaveText([
    'API_KEY="${MY_API_KEY}" npx -y my-mcp-package --root "a folder"',
    "https://mcp.example.com/mcp",
  ]);
  for (const words of ["Analyze Data", "my-toolset:wipe", "asks first", "api.example.com", "attrs", "MY_API_KEY", "OTHER_KEY"]) {
    await expect(dialog.getByText(words, { exact: true }).first()).toBeVisible();
  }
  expect(await list(page), "looking writes nothing").toEqual([]);
  await dialog.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toContainText("2 tools");
  const { toolset, mcp_servers: servers } = await details(page);
  expect([toolset.source_type, toolset.source_ref, toolset.user_mcp]).toEqual(["zip", "my-toolset.zip", false]);
  expect(servers.map((server: { enabled: boolean }) => server.enabled), "the user saw them").toEqual([true, true]);

  // R001: all of it is in the database.
  await page.evaluate(async () => Promise.all((await caches.keys()).map((name) => caches.delete(name))));
  await page.reload();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
});

// R007, R019, R053
test("the page of a toolset has its tools and files", async ({ page, satchel }) => {
  await openToolsets(page, satchel);
  await install(page, "my-toolset.zip", zip(files()));
  await page.getByTestId("toolset-card-my-toolset").getByRole("link", { name: "Details" }).click();
  await expect(page).toHaveURL(/\/ui\/toolsets\/my-toolset$/);
  await expect(page.getByRole("heading", { name: "My Toolset 1.0.0" })).toBeVisible();
  await expect(page.getByText("python", { exact: true }).first()).toBeVisible();
  await page.getByText("Files", { exact: false }).locator("visible=true").first().click();
  await page.getByRole("button", { name: "tools/analyze.py" }).click();
  await expect(page.getByTestId("toolset-file-text")).toContainText("def run(workspace, filename)");
  await page.getByRole("button", { name: "assets/data.bin" }).click();
  await expect(page.getByText("This is not text")).toBeVisible();
  await page.goto(`${satchel.origin}/ui/toolsets/no-such`);
  await expect(page.getByText("There is no such toolset")).toBeVisible();
});

// C54, R008, R063, R066
test("a toolset is switched off, exported, uninstalled and imported again as the same", async ({ page, satchel, folder }) => {
  await openToolsets(page, satchel);
  await install(page, "my-toolset.zip", zip(files()));
  const before = await details(page);
  await page.getByTestId("toolset-enabled-my-toolset").click();
  await expect.poll(async () => (await list(page))[0].enabled).toBe(false);
  const saving = page.waitForEvent("download");
  await page.getByTestId("toolset-export-my-toolset").click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe("my-toolset-v1.0.0.zip");
  const path = join(folder, "export.zip");
  await download.saveAs(path);

  await page.getByTestId("toolset-uninstall-my-toolset").click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toHaveCount(0);
  await install(page, "export.zip", await readFile(path));
  const after = await details(page);
  expect(after.toolset.package).toBe(before.toolset.package);
  const names = (tools: { tool_id: string; uid: string }[]) => tools.map((tool) => [tool.tool_id, tool.uid]);
  expect(names(after.tools)).toEqual(names(before.tools));
  const hashes = (all: { path: string; sha256: string }[]) =>
    all.filter((file) => file.path !== "toolset.yaml").map((file) => [file.path, file.sha256]);
  expect(hashes(after.files)).toEqual(hashes(before.files));
  const analyze = createHash("sha256").update(files()[1].text as string).digest("hex");
  expect(hashes(after.files)).toContainEqual(["tools/analyze.py", analyze]);
  expect([after.render_configs, after.overrides]).toEqual([before.render_configs, before.overrides]);
});

// C51, R067
test("the same is known, an upgrade keeps what was changed, and other contents need a word", async ({ page, satchel }) => {
  await openToolsets(page, satchel);
  await install(page, "one.zip", zip(files()));
  const input = page.getByTestId("toolset-import-input");
  await input.setInputFiles(asFile("again.zip", zip(files())));
  await expect(page.getByTestId("import-outcome")).toContainText("already installed");
  await expect(page.getByTestId("import-confirm")).toHaveCount(0);
  await page.getByTestId("import-cancel").click();

  // F10: installed again, what was damaged is sound.
  const broken = () => page.evaluate(async () => (await (await fetch("/local/check", { method: "POST" })).json()).broken.length);
  await damage(page, createHash("sha256").update(files()[1].text as string).digest("hex"));
  expect(await broken()).toBeGreaterThan(0);
  await input.setInputFiles(asFile("again.zip", zip(files())));
  await page.getByTestId("import-again").click();
  await expect(page.getByTestId("import-dialog")).toHaveCount(0);
  expect(await broken()).toBe(0);

  await page.getByTestId("toolset-enabled-my-toolset").click();
  await expect.poll(async () => (await list(page))[0].enabled).toBe(false);
  await input.setInputFiles(asFile("two.zip", zip(files(manifest({ version: "1.10.0" })))));
  await expect(page.getByTestId("import-outcome")).toContainText("from 1.0.0 to 1.10.0");
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toContainText("1.10.0");
  expect((await list(page))[0].enabled, "the switch stays").toBe(false);

  for (const [version, words] of [
    ["1.10.0", "is installed with other contents"],
    ["1.9.0", "which is newer than 1.9.0"],
  ]) {
    await input.setInputFiles(asFile("other.zip", zip(files(manifest({ version, name: `Other ${version}` })))));
    await expect(page.getByTestId("import-error")).toContainText(words);
    await expect(page.getByTestId("import-confirm")).toHaveCount(0);
    expect((await list(page))[0].name).not.toBe(`Other ${version}`);
    await page.getByTestId("import-replace").click();
    await expect(page.getByTestId("toolset-card-my-toolset")).toContainText(`Other ${version}`);
  }
});

// C50, R223, R319
test("uninstalling asks, and can be taken back, from the notice and from the list", async ({ page, satchel }) => {
  await openToolsets(page, satchel);
  await install(page, "my-toolset.zip", zip(files()));
  const before = await details(page);
  await page.getByTestId("toolset-uninstall-my-toolset").click();
  await page.getByTestId("toolset-card-my-toolset").getByRole("button", { name: "Keep" }).click();
  await expect(page.getByTestId("toolset-uninstall-my-toolset")).toBeFocused();
  expect(await details(page)).toEqual(before);
  await page.getByTestId("toolset-uninstall-my-toolset").click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toHaveCount(0);
  await page.getByTestId("notice").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
  await page.getByTestId("toolset-uninstall-my-toolset").click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toHaveCount(0);
  await page.reload();
  await page.getByTestId("toolset-restore-my-toolset").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
  expect(await details(page)).toEqual(before);
});

// R061, R062
test("a folder and a bare manifest come in", async ({ page, satchel, folder }) => {
  await openToolsets(page, satchel);
  const root = join(folder, "from-folder");
  for (const file of files(manifest({ id: "from-folder" }))) {
    const path = join(root, file.path as string);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.text!);
  }
  await page.getByTestId("toolset-import-folder").setInputFiles(root);
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-from-folder")).toBeVisible();
  await install(page, "toolset.yaml", 'manifest_version: "1"\nid: bare\nname: Bare\nversion: "1.0.0"\nmcp_servers: [{id: s, url: "https://x.test/mcp"}]\n');
  const found = await page.evaluate(async () => {
    const of = async (id: string) => (await (await fetch(`/local/toolsets/${id}`)).json()).toolset;
    return [await of("from-folder"), await of("bare")].map((toolset) => [toolset.source_type, toolset.source_ref]);
  });
  expect(found).toEqual([["local", "from-folder"], ["zip", "toolset.yaml"]]);
});

// R061: only after the user agreed to the host, and without anything of theirs.
test("a toolset comes from an address, once its host was agreed to", async ({ page, satchel }) => {
  const requests: { url?: string; cookie?: string; referer?: string }[] = [];
  const host = createServer((request, response) => {
    requests.push({ url: request.url, cookie: request.headers.cookie, referer: request.headers.referer });
    if (request.url === "/moved.zip") return response.writeHead(302, { location: "/toolset.zip", "access-control-allow-origin": "*" }).end();
    if (request.url === "/gone.zip") return response.writeHead(404, { "access-control-allow-origin": "*" }).end();
    const cors = request.url === "/closed.zip" ? {} : { "access-control-allow-origin": "*" };
    response.writeHead(200, cors).end(zip(files()));
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  await openToolsets(page, satchel);
  const fetchFrom = async (path: string, from = origin) => {
    await page.getByTestId("toolset-import-address").fill(from + path);
    await page.getByTestId("toolset-import-fetch").click();
    await expect(page.getByTestId("import-dialog")).toContainText(new URL(from).host);
  };
  await fetchFrom("/toolset.zip");
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(requests, "nobody agreed").toEqual([]);
  await fetchFrom("/gone.zip");
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("import-error")).toContainText("the status 404");
  await page.getByTestId("import-dialog").getByRole("button", { name: "Close" }).click();
  // It is the host that was agreed to: the same one is not asked about again, and another one is.
  await fetchFrom("/toolset.zip", origin.replace("127.0.0.1", "localhost"));
  await expect(page.getByTestId("confirm-ok")).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();

  for (const [path, words] of [
    ["/closed.zip", "does not let other sites read it (CORS)"],
    ["/moved.zip", "it redirects"],
    ["/gone.zip", "the status 404"],
  ]) {
    await fetchFrom(path);
    await expect(page.getByTestId("import-error")).toContainText(words);
    await page.getByTestId("import-dialog").getByRole("button", { name: "Close" }).click();
  }
  await fetchFrom("/toolset.zip");
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
  const { toolset } = await details(page);
  expect([toolset.source_type, toolset.source_ref]).toEqual(["url", `${origin}/toolset.zip`]);
  expect(requests.every((request) => !request.cookie && !request.referer)).toBe(true);
  await new Promise((resolve) => host.close(resolve));
});

/** R324 */
test("a folder of more files than usual comes in once its limit was raised", async ({ page, satchel, folder }) => {
  test.slow();
  const path = join(folder, "my-toolset");
  await mkdir(join(path, "assets"), { recursive: true });
  await writeFile(join(path, "toolset.yaml"), manifest());
  await Promise.all(Array.from({ length: 10_010 }, (_, at) => writeFile(join(path, "assets", `${at}.txt`), "a")));
  for (const entry of files().slice(1)) {
    const target = join(path, String(entry.path));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, entry.text as string);
  }
  await openToolsets(page, satchel);
  await page.getByTestId("toolset-import-folder").setInputFiles(path);
  await expect(page.getByTestId("import-error")).toContainText("raise \"files of a bundle\" in Settings", { timeout: 60_000 });
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  await setting(page, "limit_bundle_entries", "20000");
  await openToolsets(page, satchel);
  await page.getByTestId("toolset-import-folder").setInputFiles(path);
  await expect(page.getByTestId("import-confirm")).toBeVisible({ timeout: 120_000 });
  await page.getByTestId("import-cancel").click();
});

/** R224, R314: a large toolset can be used on every screen that shows tools. */
for (const width of [390, 1440]) {
  test(`sixty tools of one toolset are found and used on every screen, ${width} px wide`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 800 });
    const names = Array.from({ length: 60 }, (_, at) => `tool_${String(at).padStart(2, "0")}`);
    const source = (name: string) => `def ${name}(workspace):\n    return {"called": "${name}"}\n`;
    await openToolsets(page, satchel);
    await bring(page, pythonToolset("big", names.map((name) => ({ name, source: source(name) }))));
    const within = async (what: string) => expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBe(width);
    const last = names[59];

    await page.goto(`${satchel.origin}/ui/toolsets/big`);
    await ready(page);
    await expect(page.getByText("The tool tool_")).toHaveCount(60);
    const described = page.getByText(`The tool ${last}`);
    await described.scrollIntoViewIfNeeded();
    await expect(described).toBeInViewport();
    await within("the page of the toolset");

    await page.goto(`${satchel.origin}/ui/tools`);
    await ready(page);
    const card = page.getByTestId(`tool-card-big:${last}`);
    await card.scrollIntoViewIfNeeded();
    await expect(card).toBeInViewport();
    await page.getByTestId(`tool-enabled-big:${names[58]}`).uncheck();
    await expect(page.getByTestId(`tool-enabled-big:${names[58]}`)).not.toBeChecked();
    await within("the page of tools");

    await page.goto(satchel.origin);
    await ready(page);
    await page.getByTestId("toolsets-popover-trigger").click();
    await page.getByTestId("toolset-expand-big").click();
    const box = page.getByTestId(`tool-checkbox-big-${last}`);
    await box.scrollIntoViewIfNeeded();
    await box.check();
    await expect(page.getByTestId("toolsets-badge")).toHaveText("1");
    await within("the popover");
    await page.keyboard.press("Escape");

    await page.getByTestId("palette-trigger").click();
    await page.getByTestId("palette-input").fill("tool 59");
    await expect(page.getByTestId(`palette-item-big:${last}`)).toHaveAttribute("aria-selected", "true");
    await within("the palette");
    await page.keyboard.press("Enter");
    await page.getByTestId("palette-run").click();
    await expect(page.getByTestId("tool-call-message")).toContainText(last, { timeout: 60_000 });
  });
}

// I8
test("a secret that is written into a bundle is nowhere on the device", async ({ page, satchel }) => {
  await openToolsets(page, satchel);
  const leaky = 'manifest_version: "1"\nid: leaky\nname: Leaky\nversion: "1.0.0"\nmcp_servers: [{id: s, command: x, env: {API_KEY: "sk-canary-0123456789abcdef"}}]\n';
  await page.getByTestId("toolset-import-input").setInputFiles(asFile("leaky.yaml", leaky));
  await expect(page.getByTestId("import-warnings")).toContainText("it is not kept, and API_KEY is asked for instead");
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-leaky")).toContainText("API key not configured");
  const stored = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open("satchel");
      opening.onsuccess = () => resolve(opening.result);
    });
    const all: string[] = [];
    for (const name of database.objectStoreNames) {
      const rows = await new Promise<unknown[]>((resolve) => {
        const reading = database.transaction(name).objectStore(name).getAll();
        reading.onsuccess = () => resolve(reading.result);
      });
      all.push(...rows.map((row) => (row instanceof Uint8Array ? new TextDecoder().decode(row) : JSON.stringify(row))));
    }
    database.close();
    return all.join("\n");
  });
  expect(stored).toContain("leaky");
  expect(stored).not.toContain("canary");
});

// R234, C44
test("a script asks its own page by fetch, also with no network", async ({ page, profile, satchel }) => {
  await openToolsets(page, satchel);
  const answer = (path: string, options?: RequestInit) =>
    page.evaluate(
      async ([path, options]) => {
        const answer = await fetch(path, options);
        return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
      },
      [path, options] as const,
    );
  expect(JSON.parse((await answer("/local/toolsets")).text)).toEqual({ toolsets: [expect.objectContaining({ id: "builtin" }), expect.objectContaining({ id: "builtin-exa-web-search" })] });
  const made = await answer("/local/toolsets/import", { method: "POST", body: manifest() });
  expect(made.status).toBe(201);
  // The screen hears of it, and nothing was connected by it.
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
  expect((await details(page)).mcp_servers.map((server: { enabled: boolean }) => server.enabled)).toEqual([false, false]);
  const again = await answer("/local/toolsets/import", { method: "POST", body: manifest({ name: "Other" }) });
  expect([again.status, JSON.parse(again.text).error.code]).toEqual([409, "replace_needed"]);
  const refused = await answer("/local/toolsets/import", { method: "POST", body: "id: [" });
  expect([refused.status, JSON.parse(refused.text).error.path]).toEqual([422, "toolset.yaml"]);
  const nothing = await answer("/local/toolsets/nobody");
  expect(nothing.status).toBe(404);
  expect(nothing.headers["content-type"]).toBe("application/json");
  const exported = await answer("/local/toolsets/my-toolset/export");
  expect(exported.headers["content-disposition"]).toBe('attachment; filename="my-toolset-v1.0.0.zip"');
  expect(exported.headers["x-content-type-options"]).toBe("nosniff");
  expect(exported.headers["content-security-policy"]).toContain("sandbox");

  // An address below /local is never a page, and no frame of the page can ask.
  const other = await profile.context!.newPage();
  await other.goto(`${satchel.origin}/local/toolsets/my-toolset/export`);
  await ready(other);
  const framed = await page.evaluate(async () => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const answer = await frame.contentWindow!.fetch("/local/toolsets");
    frame.remove();
    return answer.ok;
  });
  expect(framed).toBe(false);
  await other.close();

  await kept(page);
  await satchel.stop();
  await page.reload();
  await ready(page);
  expect((await list(page)).map((toolset: { id: string }) => toolset.id)).toEqual(["my-toolset"]);
});

test("only the tab that asks is asked, and the other one hears what changed", async ({ page, profile, satchel }) => {
  await openToolsets(page, satchel);
  const other = await profile.context!.newPage();
  await other.goto(`${satchel.origin}/ui/toolsets`);
  await ready(other);
  await other.evaluate(() => {
    const asked: unknown[] = [];
    Object.assign(window, { asked });
    navigator.serviceWorker.addEventListener("message", (event) => asked.push(event.data));
  });
  await install(page, "my-toolset.zip", zip(files()));
  await expect(other.getByTestId("toolset-card-my-toolset")).toBeVisible();
  await page.evaluate(() => fetch("/local/toolsets/my-toolset", { method: "DELETE" }));
  await expect(page.getByTestId("toolset-card-my-toolset")).toHaveCount(0);
  await expect(other.getByTestId("toolset-card-my-toolset")).toHaveCount(0);
  expect(await other.evaluate(() => (window as unknown as { asked: unknown[] }).asked)).toEqual([]);
});

test("an import that takes long can be stopped, and leaves nothing", async ({ page, satchel }) => {
  const host = createServer((request, response) => {
    // It never ends.
    response.writeHead(200, { "access-control-allow-origin": "*", "content-length": "1000000" });
    response.write(Buffer.alloc(1000));
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  await openToolsets(page, satchel);
  const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/slow.zip`;
  await page.getByTestId("toolset-import-address").fill(address);
  await page.getByTestId("toolset-import-fetch").click();
  const ended = new Promise<void>((resolve) => host.once("request", (request) => request.once("close", resolve)));
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("import-dialog").getByRole("progressbar")).toHaveAttribute("value", "1000");
  await page.getByTestId("import-stop").click();
  await expect(page.getByTestId("import-dialog")).toHaveCount(0);
  await ended;
  expect(await list(page)).toEqual([]);
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
});

// R314
test("the screens of toolsets pass axe, and none scrolls sideways", async ({ page, satchel }) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await openToolsets(page, satchel);
    await page.getByTestId("toolset-import-input").setInputFiles(asFile("a.zip", zip(files(manifest({ id: `a-${width}` })))));
    await expect(page.getByTestId("import-confirm")).toBeVisible();
    await expectSound(page, `the preview at ${width} px`);
    await page.getByTestId("import-confirm").click();
    await expect(page.getByTestId(`toolset-card-a-${width}`)).toBeVisible();
    await expectSound(page, `the list at ${width} px`);
    await page.getByTestId(`toolset-card-a-${width}`).getByRole("link", { name: "Details" }).click();
    await expect(page.getByTestId("toolset-details")).toBeVisible();
    await expectSound(page, `the details at ${width} px`);
  }
});
