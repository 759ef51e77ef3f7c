// F2, in the browser: the transaction is aborted at the k-th request that writes, for every k.
import { randomBytes } from "node:crypto";

import { files, zip } from "../journeys/bundle";
import { expect, ready, test } from "../journeys/harness";
import { begin, dismiss, dump, expectClean, file, report, text, upload } from "./ground";
import type { Page } from "@playwright/test";

/** Runs in the page and in the worker: from now on the transaction of the `stopAt`-th request is aborted. */
function stopRequests() {
  const scope = globalThis as unknown as { stopAt?: number; stopped?: boolean };
  for (const name of ["get", "put", "delete"] as const) {
    const request = IDBObjectStore.prototype[name] as (...given: unknown[]) => IDBRequest;
    (IDBObjectStore.prototype[name] as unknown) = function (this: IDBObjectStore, ...given: unknown[]) {
      const made = request.apply(this, given);
      const counts = this.transaction.mode === "readwrite" && !["drafts", "positions"].includes(this.name);
      if (counts && scope.stopAt !== undefined && (scope.stopAt -= 1) === 0) {
        scope.stopped = true;
        this.transaction.abort();
      }
      return made;
    };
  }
}

type Place = { evaluate<T, A>(act: (given: A) => T, given: A): Promise<T> };
const stopAt = (place: Place, at: number | undefined) =>
  place.evaluate((at) => void Object.assign(globalThis, { stopAt: at, stopped: false }), at);
const hasStopped = (place: Place) => place.evaluate(() => (globalThis as unknown as { stopped?: boolean }).stopped === true, undefined);

/** Does something, stopped at request 1, 2, 3 and so on, until it is done unhindered. How often it was stopped. */
async function everyStop(page: Page, place: () => Place, act: () => Promise<void>, settle: (stopped: boolean) => Promise<void>): Promise<number> {
  for (let at = 1; ; at += 1) {
    const before = await dump(page);
    await stopAt(place(), at);
    await act();
    await expect.poll(async () => (await hasStopped(place())) || (await dump(page)) !== before, { intervals: [20] }).toBe(true);
    const stopped = await hasStopped(place());
    await stopAt(place(), undefined);
    await settle(stopped);
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
  const told = async (stopped: boolean, done: () => Promise<void>) => {
    if (stopped) await expect(page.getByTestId("notice").first()).toBeVisible();
    else await done();
    await dismiss(page);
  };
  const snapshot = await everyStop(
    page,
    () => page,
    async () => {
      content = randomBytes(20).toString("hex");
      await upload(page, ["a.txt", "b.txt", "c.txt"].map((name) => text(name, `${name} ${content}`)));
    },
    (stopped) => told(stopped, () => expect(file(page, "c.txt")).toBeVisible()),
  );

  // A branch: the first message said otherwise, with the files it had.
  const branch = await everyStop(
    page,
    () => page,
    async () => {
      if ((await page.getByTestId("message-edit-text").count()) === 0) await page.getByTestId("message-edit").first().click();
      await page.getByTestId("message-edit-text").fill("Said otherwise");
      await page.getByTestId("message-edit-save").click();
    },
    (stopped) => told(stopped, () => expect(page.getByTestId("branch-count").first()).toContainText("2 / 2")),
  );
  await expectClean(page);

  // An import, which the worker does.
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const show = async () => {
    await page.getByTestId("toolset-import-input").setInputFiles({ name: "bundle.zip", mimeType: "application/zip", buffer: zip(files()) });
    await expect(page.getByTestId("import-confirm")).toBeVisible();
  };
  await show();
  const worker = page.workers().find((worker) => /core-worker/.test(worker.url())) ?? page.workers()[0];
  await worker.evaluate(stopRequests);
  const imported = await everyStop(
    page,
    () => worker as unknown as Place,
    async () => {
      if ((await page.getByTestId("import-confirm").count()) === 0) await show();
      await page.getByTestId("import-confirm").click();
    },
    async (stopped) => {
      if (stopped) await expect(page.getByText("the storage of this browser failed").first()).toBeVisible();
      else await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
    },
  );
  await expectClean(page);
  expect(Math.min(snapshot, branch, imported)).toBeGreaterThan(5);
  await report("stop", `in Chromium a snapshot was stopped at each of ${snapshot} requests, a branch at ${branch}, an import at ${imported}: always the old state`);
});
