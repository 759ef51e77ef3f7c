// F3: the room ends in the middle of a write.
import { randomBytes } from "node:crypto";

import { files, zip } from "../journeys/bundle";
import { expect, kept, ready, test } from "../journeys/harness";
import { ask, begin, dismiss, dump, expectClean, file, report, text, upload } from "./ground";

test("F3 quota", async ({ profile, satchel }) => {
  let page = await profile.open();
  const chat = await begin(page, satchel.origin, "Room");
  await upload(page, [text("kept.txt", "kept")]);
  await expect(file(page, "kept.txt")).toBeVisible();
  const before = await dump(page);
  await kept(page);

  // The database remembers for a while how much room there was, so the browser has to start with less.
  await profile.close();
  page = await profile.open();
  const { origin } = satchel;
  const developer = await page.context().newCDPSession(page);
  const { usage } = await developer.send("Storage.getUsageAndQuota", { origin });
  await developer.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: usage + 500_000 });
  await page.goto(`${origin}/ui/chat/${chat}`);
  await ready(page);
  const large = Array.from({ length: 40 }, (_, number) => text(`large-${number}.bin`, randomBytes(200_000)));
  await upload(page, large);
  await expect(page.getByTestId("notice").filter({ hasText: "no room left" })).toBeVisible();
  await expect(file(page, "large-0.bin")).toHaveCount(0);

  await dismiss(page);

  // Reads work, of what is shown and of what is not.
  await file(page, "kept.txt").click();
  await expect(page.getByTestId("code-view").locator(".cm-content")).toContainText("kept");
  await page.getByTestId("workspace-back").click();
  await page.reload();
  await ready(page);
  await expect(file(page, "kept.txt")).toBeVisible();
  await expectClean(page);
  // Portions of an upload may have gone ahead of their manifest; nothing names them.
  const withoutBlobs = (state: string) => JSON.parse(state).filter(([name]: [string]) => name !== "blobs");
  expect(withoutBlobs(await dump(page))).toEqual(withoutBlobs(before));

  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  const bundle = zip([...files(), { path: "assets/large.bin", text: randomBytes(3_000_000) }]);
  const bring = async () => {
    await page.getByTestId("toolset-import-input").setInputFiles({ name: "bundle.zip", mimeType: "application/zip", buffer: bundle });
    await page.getByTestId("import-confirm").click();
  };
  await bring();
  await expect(page.getByText("no room left").first()).toBeVisible();
  expect((await ask(page, "GET", "/local/toolsets")).body.toolsets.map(({ id }: { id: string }) => id)).toEqual(["builtin", "builtin-exa-web-search"]);

  // Room again.
  await developer.send("Storage.overrideQuotaForOrigin", { origin });
  await page.reload();
  await ready(page);
  await bring();
  await expect(page.getByTestId("toolset-card-my-toolset")).toBeVisible();
  await page.goto(`${satchel.origin}/ui/chat/${chat}`);
  await ready(page);
  await upload(page, large);
  await expect(file(page, "large-39.bin")).toBeVisible();
  await expectClean(page);
  await report("quota", "an upload of 8 MB and an import of 3 MB were refused whole, what was there could be read, and both succeeded afterwards");
});
