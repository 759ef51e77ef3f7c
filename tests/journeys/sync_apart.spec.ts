// Sync, where people have to choose: a toolset that was changed on two devices while they were apart, and a code that nobody has any more.
import type { Page } from "@playwright/test";

import { agree, test } from "./devices";
import { expect } from "./harness";
import { begin } from "./seeded";

test.describe.configure({ timeout: 300_000 });

const BUNDLE = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b1";

async function put(page: Page, path: string, body: object): Promise<number> {
  const sent = { path: `${BUNDLE}${path}`, body: JSON.stringify(body) };
  return page.evaluate(async ({ path, body }) => (await fetch(path, { method: "PUT", body })).status, sent);
}

async function addTool(page: Page, slug: string): Promise<void> {
  const request = { urlTemplate: `https://${slug}.test/` };
  const tool = { type: "http", argSchema: { type: "object" }, httpImpl: { allowedHosts: [`${slug}.test`], request } };
  expect(await put(page, `/tools/${slug}/version/1`, tool)).toBe(201);
}

/** C28, R316 */
test("a toolset that two devices changed while apart shows both, and put together has the tools of both", async ({ device, satchel }) => {
  const one = await device();
  const two = await device();
  const code = await one.start();
  await put(one.page, "", { slug: "weather", displayName: "Weather" });
  await two.join(code);
  await agree(one, two);

  await satchel.stop("SIGKILL");
  await addTool(one.page, "rain");
  await addTool(two.page, "wind");
  await satchel.start();
  await agree(one, two);

  await one.at("/ui/toolsets");
  await expect(one.page.getByTestId("toolset-apart-weather")).toContainText("Changed on two devices");
  for (const either of [one, two]) {
    await either.at("/ui/toolsets/weather");
    const apart = either.page.getByTestId("toolset-apart");
    await expect(apart).toContainText("nothing of the other version 1.0.1 is lost");
    await expect(apart).toContainText(/Only the other version has the tool (rain|wind) 1/);
  }
  await one.page.getByTestId("apart-put-together").click();
  // It is settled on both, without the other's doing.
  for (const { page } of [one, two]) {
    await expect(page.getByTestId("toolset-apart")).toHaveCount(0, { timeout: 60_000 });
    for (const tool of ["rain", "wind"]) await expect(page.getByTestId("toolset-details")).toContainText(tool);
  }
  await agree(one, two);
});

/** R325 */
test("a code that nobody has any more is no dead end: a device that has the data begins anew", async ({ device }) => {
  const one = await device();
  const old = await one.start();
  await one.at("/ui/chat");
  await begin(one.page, "Kept though the code is lost");
  await one.at("/ui/settings#sync");
  await one.page.getByTestId("sync-leave").click();
  await one.page.getByTestId("confirm-ok").click();

  // The account has a log that nobody can read.
  await one.page.getByTestId("sync-start").click();
  await expect(one.page.getByTestId("sync-start-error")).toContainText("begin anew if it is lost");
  await one.page.getByTestId("sync-anew").click();
  await expect(one.page.getByText("What the server has is removed")).toBeVisible();
  await one.page.getByTestId("confirm-ok").click();
  await expect(one.page.getByTestId("sync-status")).toHaveAttribute("data-state", "up-to-date", { timeout: 60_000 });
  const fresh = (await one.page.getByTestId("sync-code").textContent()) ?? "";
  expect(fresh).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(fresh).not.toBe(old);

  const two = await device();
  await two.join(fresh);
  await agree(one, two);
  await two.at("/ui/chat");
  await expect(two.page.getByTestId("chat-list-item")).toHaveCount(1);
});
