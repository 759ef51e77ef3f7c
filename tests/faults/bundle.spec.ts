// F19: bundles that would fill memory or disk are refused by the import dialog: soon, in little memory, and nothing is written.
import { readFile, readdir, writeFile } from "node:fs/promises";

import { asFile, type Entry, files, packedZeros, zip } from "../journeys/bundle";
import { expect, ready, test } from "../journeys/harness";
import { dump, report } from "./ground";

const MB = 1 << 20;
/** What a refusal may take: of time, once the bytes are with the page, and of memory. */
const MOST_MS = 1_000;
const MOST_BYTES = 200 * MB;

/** The processes of the browser that has this profile, by their parents. */
async function processes(profile: string): Promise<number[]> {
  const parents = new Map<number, number>();
  const found = new Set<number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // One may end meanwhile.
    const [stat, line] = await Promise.all([`/proc/${name}/stat`, `/proc/${name}/cmdline`].map((path) => readFile(path, "utf8").catch(() => "")));
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    if (line.includes(`--user-data-dir=${profile}`)) found.add(Number(name));
  }
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  return [...found];
}

/** What each process holds, or the most it held since that was last forgotten. */
async function memory(pids: number[], field: "VmRSS" | "VmHWM"): Promise<Map<number, number>> {
  const held = new Map<number, number>();
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    held.set(pid, Number(status.match(new RegExp(`${field}:\\s+(\\d+)`))?.[1] ?? 0) * 1024);
  }
  return held;
}

const beside = (...entries: Entry[]) => zip([...files(), ...entries]);
const gigabyte = packedZeros(1024 * MB);
const bombs = (size: number) => Array.from({ length: 10 }, (_, at): Entry => ({ path: `assets/${at}.bin`, packed: gigabyte, size }));

const HOSTILE: [name: string, bytes: Buffer, reason: string][] = [
  ["10 MB that say they are 10 GB", beside(...bombs(1024 * MB)), "assets/"],
  ["10 MB that are 10 GB and say they are small", beside(...bombs(1000)), "assets/"],
  ["100,000 entries", zip([...files(), ...Array.from({ length: 100_000 }, (_, at): Entry => ({ path: `assets/${at}`, method: 0 }))]), "the limit is 10000"],
];

test("hostile bundles of the largest kind are refused by the dialog", async ({ page, satchel, profile }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const input = page.getByTestId("toolset-import-input");
  // An honest one first: the worker is there, and there is something to lose.
  await input.setInputFiles(asFile("honest.zip", zip(files())));
  await page.getByTestId("import-confirm").click();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
  const before = await dump(page);
  let [slowest, largest] = [0, 0];
  for (const [name, bytes, reason] of HOSTILE) {
    await test.step(name, async () => {
      // The driver's own way to the page holds copies of the bytes, so they come by a file.
      const path = `${profile.folder}-hostile.zip`;
      await writeFile(path, bytes);
      const pids = await processes(profile.folder);
      expect(pids.length).toBeGreaterThan(1);
      for (const pid of pids) await writeFile(`/proc/${pid}/clear_refs`, "5").catch(() => {});
      const held = await memory(pids, "VmRSS");
      // Measured in the page, from the moment it has the file to the moment it says no.
      await page.evaluate(() => {
        const state = window as unknown as { refusedAfter: number };
        state.refusedAfter = 0;
        let started = 0;
        document.addEventListener("change", () => (started = performance.now()), { capture: true, once: true });
        const watcher = new MutationObserver(() => {
          if (!document.querySelector("[data-testid=import-error]")) return;
          state.refusedAfter = performance.now() - started;
          watcher.disconnect();
        });
        watcher.observe(document.body, { childList: true, subtree: true });
      });
      await input.setInputFiles(path);
      await expect(page.getByTestId("import-error")).toContainText(reason);
      await expect(page.getByTestId("import-confirm")).toHaveCount(0);
      const took = await page.evaluate(() => (window as unknown as { refusedAfter: number }).refusedAfter);
      const most = await memory(pids, "VmHWM");
      const grown = Math.max(...pids.map((pid) => (most.get(pid) ?? 0) - (held.get(pid) ?? 0)));
      expect(took, name).toBeGreaterThan(0);
      expect(took, name).toBeLessThan(MOST_MS);
      expect(grown, name).toBeLessThan(MOST_BYTES);
      [slowest, largest] = [Math.max(slowest, took), Math.max(largest, grown)];
      await page.getByTestId("import-dialog").getByRole("button", { name: "Close" }).click();
      await expect(page.getByTestId("import-dialog")).toHaveCount(0);
      expect(await dump(page), "nothing was written").toBe(before);
    });
  }
  const found = `${HOSTILE.length} by the dialog, the slowest refused after ${Math.round(slowest)} ms, with at most ${Math.round(largest / MB)} MB more in any process`;
  await report("bundle", found);
});
