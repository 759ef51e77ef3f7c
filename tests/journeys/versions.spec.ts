// A newer version of the app comes while an older one is at work.
import { open, send } from "./conversation";
import { expect } from "./harness";
import { keptText } from "./kept_text";
import { test } from "./scripted_model";

/** R301, R315 */
test("a newer version that upgrades the database while an answer comes loses nothing of it, and the old tab asks to be reloaded", async ({ page, profile, satchel, model }) => {
  model.script = () => [{ text: "Slowly but" }, { wait: new Promise(() => {}) }];
  await open(page, satchel.address);
  await send(page, "Take your time.");
  await expect(page.getByTestId("answer-coming")).toContainText("Slowly but");
  // What came is kept a few times a second.
  await expect.poll(() => keptText(page)).toContain("Slowly but");

  // As the newer version would when it is opened beside it; a page of the same origin that is not the app does for that.
  const newer = await profile.context!.newPage();
  await newer.goto(`${satchel.origin}/manifest.webmanifest`);
  const upgraded = await newer.evaluate(async () => {
    const [{ version }] = await indexedDB.databases();
    const opening = indexedDB.open("satchel", version! + 1);
    const blocked = new Promise<string>((resolve) => setTimeout(resolve, 10_000, "blocked"));
    const done = new Promise<string>((resolve, reject) => {
      opening.onupgradeneeded = () => opening.result.createObjectStore("of_the_newer_version");
      opening.onsuccess = () => resolve("upgraded");
      opening.onerror = () => reject(opening.error);
    });
    const outcome = await Promise.race([done, blocked]);
    opening.result.close();
    return outcome;
  });
  expect(upgraded, "the old tab makes room at once").toBe("upgraded");
  await expect(page.getByTestId("notice").first()).toContainText("newer version");
  await expect(page.getByTestId("notice").first().getByRole("button", { name: "Reload" })).toBeVisible();
  const kept = await keptText(newer);
  expect(kept).toContain("Take your time.");
  expect(kept).toContain("Slowly but");
});
