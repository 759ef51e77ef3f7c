// F19: hostile bundles are refused with their reason, quickly, and nothing is written.
import { deflateRawSync } from "node:zlib";

import type { Page } from "@playwright/test";

import { asFile, type Entry, files, manifest, zip } from "./bundle";
import { expect, ready, test } from "./harness";

/** Everything that an import could have written. */
function stored(page: Page): Promise<{ toolsets: unknown; blobs: number }> {
  return page.evaluate(async () => {
    const all: { source_type: string }[] = (await (await fetch("/local/toolsets")).json()).toolsets;
    const toolsets = all.filter(({ source_type }) => source_type !== "builtin");
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open("satchel");
      opening.onsuccess = () => resolve(opening.result);
    });
    const blobs = await new Promise<number>((resolve) => {
      const counting = database.transaction("blobs").objectStore("blobs").count();
      counting.onsuccess = () => resolve(counting.result);
    });
    database.close();
    return { toolsets, blobs };
  });
}

const beside = (...entries: Entry[]) => zip([...files(), ...entries]);
const symlink: Entry = { path: "tools/link", text: "/etc/passwd", mode: 0o120777 };
const many = Array.from({ length: 10_001 }, (_, at): Entry => ({ path: `assets/${at}`, method: 0 }));
const bare = 'manifest_version: "1"\nid: bomb\nname: Bomb\nversion: "1.0.0"\n';
const aliases = `${bare}a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n`;
// Zeros, packed a thousand to one; a bomb of 10 MB is refused natively (core/src/bundle/archive/tests.rs).
const zeros = deflateRawSync(Buffer.alloc(64 << 20), { level: 9 });

const HOSTILE: [name: string, bytes: Buffer | string, reason: string][] = [
  ["climbs", beside({ path: "../evil.py" }), 'a path that leaves the bundle by "." or "..": "../evil.py"'],
  ["climbs inside", beside({ path: "tools/../../evil.py" }), '"tools/../../evil.py"'],
  ["absolute", beside({ path: "/etc/passwd" }), 'an absolute path: "/etc/passwd"'],
  ["drive", beside({ path: "C:/evil.py" }), "a path with a drive letter or a colon"],
  ["backslash", beside({ path: "tools\\evil.py" }), "a path with a backslash"],
  ["symlink", beside(symlink), '"tools/link"'],
  ["twice", beside({ path: "tools/analyze.py", text: "x" }), 'the same path twice: "tools/analyze.py"'],
  ["case", beside({ path: "tools/Analyze.py", text: "x" }), "two paths that differ only in case"],
  ["nul", beside({ path: "tools/a.py\0.txt" }), "a path with a NUL or another control character"],
  ["not text", beside({ path: Buffer.from([0x61, 0xff]) }), "a path that is not UTF-8"],
  ["overlap", zip([...files(), { path: "assets/a", text: "aaaa" }, { path: "assets/b", text: "aaaa", headerAt: 0 }]), ""],
  ["bomb", beside({ path: "assets/bomb", packed: zeros, size: 64 << 20, text: "" }), 'times its packed size: "assets/bomb"'],
  ["many", zip([...files(), ...many]), "the limit is 10000"],
  ["no manifest", zip(files().slice(1)), "toolset.yaml"],
  ["damaged", zip(files()).subarray(0, 400), ""],
  ["not a bundle", "Dear Sir or Madam", "toolset.yaml line 1"],
  ["aliases", aliases, "aliases repeat more than 1000 values"],
  ["deep", `${bare}x: ${"[".repeat(10_000)}`, "lists and maps are more than 64 deep"],
  ["long", `${bare}x: ${"y".repeat(1 << 20)}`, "the limit is 1048576"],
  ["newer format", manifest().replace('manifest_version: "1"', 'manifest_version: "2"'), "toolset.yaml line 1, manifest_version"],
];

test("every hostile bundle is refused with its reason, and nothing is written", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const input = page.getByTestId("toolset-import-input");
  // One honest toolset, so that there is something to lose.
  await input.setInputFiles(asFile("honest.zip", zip(files())));
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
  const before = await stored(page);
  expect(before.blobs).toBe(4);
  for (const [name, bytes, reason] of HOSTILE) {
    await test.step(name, async () => {
      await input.setInputFiles(asFile(`${name}.zip`, bytes));
      await expect(page.getByTestId("import-error")).toContainText(reason);
      await expect(page.getByTestId("import-confirm")).toHaveCount(0);
      await page.getByTestId("import-dialog").getByRole("button", { name: "Close" }).click();
      await expect(page.getByTestId("import-dialog")).toHaveCount(0);
      expect(await stored(page)).toEqual(before);
    });
  }
});

test("the local API refuses them too", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const refused = await page.evaluate(async (bytes) => {
    const answer = await fetch("/local/toolsets/import", { method: "POST", body: Uint8Array.from(bytes) });
    return [answer.status, (await answer.json()).error];
  }, [...beside({ path: "../evil.py" })]);
  expect(refused).toEqual([
    422,
    {
      code: "bundle_refused",
      message: 'the archive has a path that leaves the bundle by "." or "..": "../evil.py"',
      path: "../evil.py",
    },
  ]);
  expect(await stored(page)).toEqual({ toolsets: [], blobs: 0 });
});
