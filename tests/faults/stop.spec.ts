// F2, in the browser: the transaction is aborted at the k-th request that writes, for every k.
import { randomBytes } from "node:crypto";

import { files, zip } from "../journeys/bundle";
import { expect, ready, test } from "../journeys/harness";
import { begin, dismiss, dump, expectClean, file, report, text, upload } from "./ground";
import type { Locator, Page } from "@playwright/test";

/** Runs in the page and in the worker: from now on the transaction of the `stopAt`-th request is aborted. */
function stopRequests() {
  const scope = globalThis as unknown as { stopAt?: number };
  // What only this device remembers is written whenever it likes, and is no part of what is done here.
  const beside = ["drafts", "positions", "blobs", "outbox", "meta"];
  for (const name of ["get", "put", "delete"] as const) {
    const request = IDBObjectStore.prototype[name] as (...given: unknown[]) => IDBRequest;
    (IDBObjectStore.prototype[name] as unknown) = function (this: IDBObjectStore, ...given: unknown[]) {
      const made = request.apply(this, given);
      const isData = [...this.transaction.objectStoreNames].some((name) => !beside.includes(name));
      const counts = this.transaction.mode === "readwrite" && isData && !["drafts", "positions"].includes(this.name);
      if (counts && scope.stopAt !== undefined && (scope.stopAt -= 1) === 0) {
        this.transaction.abort();
      }
      return made;
    };
  }
}

type Place = { evaluate<T, A>(act: (given: A) => T, given: A): Promise<T> };
const stopAt = (place: Place | Page, at: number | undefined) =>
  (place as Place).evaluate((at) => void Object.assign(globalThis, { stopAt: at }), at);
/** Does something, stopped at request 1, 2, 3 and so on, until it is done unhindered. How often it was stopped. */
async function everyStop(
  page: Page,
  prepare: () => Promise<Place>,
  act: () => Promise<void>,
  settle: () => Promise<"stopped" | "done">,
): Promise<number> {
  for (let at = 1; ; at += 1) {
    const before = await dump(page);
    const place = await prepare();
    await stopAt(place, at);
    await act();
    const stopped = (await settle()) === "stopped";
    if (!stopped) return at - 1;
    expect((await dump(page)) === before, `stopped at request ${at}, there is the old state`).toBe(true);
  }
}

test("F2 stop", async ({ page, satchel }) => {
  await page.addInitScript(stopRequests);
  await begin(page, satchel.origin, "Stops");
  await upload(page, [text("a.txt", "one"), text("b.txt", "two")]);
  await expect(file(page, "b.txt")).toBeVisible();
  await expect(page.getByTestId("notice").filter({ hasText: "2 files stored" })).toBeVisible();
  await dismiss(page);

  // A snapshot: two files change and one is new.
  let content = "";
  /** What the user is told in either case. */
  const told = async (failure: Locator, success: Locator): Promise<"stopped" | "done"> => {
    await expect(failure.or(success).first()).toBeVisible();
    const outcome = (await failure.count()) > 0 ? "stopped" : "done";
    await dismiss(page);
    // What is left of the count must not stop what comes by itself.
    await stopAt(page, undefined);
    return outcome;
  };
  const failed = page.getByTestId("notice").filter({ hasText: /storage of this browser failed|was aborted|not stored|not sent/ });
  const here = async () => page as unknown as Place;
  const snapshot = await everyStop(
    page,
    here,
    async () => {
      content = randomBytes(20).toString("hex");
      await upload(page, ["a.txt", "b.txt", "c.txt"].map((name) => text(name, `${name} ${content}`)));
    },
    () => told(failed, page.getByTestId("notice").filter({ hasText: "3 files stored" })),
  );

  // A branch: the first message said otherwise, with the files it had.
  const branch = await everyStop(
    page,
    here,
    async () => {
      if ((await page.getByTestId("message-edit-text").count()) === 0) await page.getByTestId("message-edit").first().click();
      await page.getByTestId("message-edit-text").fill("Said otherwise");
      await page.getByTestId("message-edit-save").click();
    },
    () => told(failed, page.getByTestId("branch-count").filter({ hasText: "2 / 2" })),
  );
  await expectClean(page);

  // An import, which the worker does.
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const show = async () => {
    await page.getByTestId("toolset-import-input").setInputFiles({ name: "bundle.zip", mimeType: "application/zip", buffer: zip(files()) });
    await expect(page.getByTestId("import-confirm")).toBeVisible();
  };
  const imported = await everyStop(
    page,
    async () => {
      if ((await page.getByTestId("import-confirm").count()) === 0) await show();
      // One of them holds the bundle open; after a failure it may be another one.
      const workers = page.workers().filter((worker) => worker.url().includes("core-worker"));
      for (const worker of workers) await worker.evaluate(stopRequests);
      return { evaluate: (act, given) => Promise.all(workers.map((worker) => worker.evaluate(act as never, given))) as never };
    },
    () => page.getByTestId("import-confirm").click(),
    async () => {
      const [failure, success] = [page.getByText("storage of this browser failed"), page.getByTestId("toolset-card-my-toolset")];
      await expect(failure.or(success).first()).toBeVisible();
      if ((await success.count()) > 0) return "done";
      await page.reload();
      await ready(page);
      return "stopped";
    },
  );
  await expectClean(page);
  expect(Math.min(snapshot, branch, imported)).toBeGreaterThan(5);
  await report("stop", `in Chromium a snapshot was stopped at each of ${snapshot} requests, a branch at ${branch}, an import at ${imported}: always the old state`);
});
