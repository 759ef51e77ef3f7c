// Secrets and variables: they go in, and nothing gives one back.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

import { connected, expect, ready, test } from "./harness";
import { keptText } from "./kept_text";
import { install, toolset } from "./toolset";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What must never be seen again. */
const VALUE = "canary-value-0123456789";

/** A toolset that cannot be used without a key. */
const WEATHER = toolset(
  "weather",
  [{ name: "look", source: "def look(workspace):\n    return 'blue'\n" }],
  "secrets: [{name: WEATHER_KEY, description: Key of the weather service}]\n",
);

const reason = (page: Page): Promise<string | undefined> =>
  page.evaluate(async () => (await (await fetch("/local/toolsets/weather")).json()).toolset.unavailable_reason);

/** C38, C49 */
test("what a toolset wants is shown, entered into the vault, and makes the toolset usable", async ({ page, satchel }) => {
  await page.goto(satchel.address);
  await connected(page);
  await install(page, WEATHER);
  expect(await reason(page)).toBe("API key not configured");
  await page.goto(`${satchel.origin}/ui/toolsets/weather`);
  await page.getByTestId("toolset-secrets").click();
  await expect(page).toHaveURL(/\/ui\/settings#secrets$/);
  const row = page.getByTestId("secret-row-WEATHER_KEY");
  await expect(row).toContainText("Missing");
  await expect(row).toContainText("Needed by the toolset The weather toolset: Key of the weather service.");
  await page.getByTestId("secret-input-WEATHER_KEY").fill(VALUE);
  await page.getByTestId("secret-save-WEATHER_KEY").click();
  await expect(row).toContainText("In the vault");
  await expect(page.getByTestId("secret-input-WEATHER_KEY")).toHaveValue("");
  await expect.poll(() => reason(page)).toBeUndefined();
  // Neither in the page, nor in anything that the browser keeps, nor in what the server answers.
  expect(await page.content()).not.toContain(VALUE);
  expect(await keptText(page)).not.toContain(VALUE);
  const token = satchel.address.split("#token=")[1];
  const listed = await fetch(`${satchel.origin}/api/v1/secrets`, { headers: { authorization: `Bearer ${token}` } });
  expect(await listed.text()).not.toContain(VALUE);

  // A reload still knows that it is there; removing it is asked about, and takes it away.
  await page.reload();
  await ready(page);
  await expect(row).toContainText("In the vault");
  await page.getByTestId("secret-remove-WEATHER_KEY").click();
  await page.getByTestId("secret-remove-WEATHER_KEY-ok").click();
  await expect(row).toContainText("Missing");
  await expect.poll(() => reason(page)).toBe("API key not configured");
});

/** C38 */
test("with no server a secret is sealed on the device, and moves to the vault later", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/settings#secrets`);
  await ready(page);
  await expect(page.getByTestId("secrets-place")).toContainText("stored on this device");
  // The screen is open, and what the new toolset wants appears in it.
  await install(page, WEATHER);
  await page.getByTestId("secret-input-WEATHER_KEY").fill(VALUE);
  await page.getByTestId("secret-save-WEATHER_KEY").click();
  const row = page.getByTestId("secret-row-WEATHER_KEY");
  await expect(row).toContainText("On this device");
  await expect.poll(() => reason(page)).toBeUndefined();
  expect(await page.content()).not.toContain(VALUE);
  expect(await keptText(page)).not.toContain(VALUE);

  await page.goto("about:blank");
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/settings#secrets`);
  await page.getByTestId("secret-move-WEATHER_KEY").click();
  await expect(row).toContainText("In the vault");
  await expect(page.getByTestId("secret-move-WEATHER_KEY")).toHaveCount(0);
  await expect.poll(() => reason(page)).toBeUndefined();
});

test("a provider's missing key is entered here, and its models can be chosen", async ({ page, satchel }) => {
  const token = satchel.address.split("#token=")[1];
  const put = await fetch(`${satchel.origin}/api/v1/providers/far`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ base_url: "https://models.example/v1", format: "openai", models: ["m"], secret: "FAR_KEY" }),
  });
  expect(put.status).toBe(200);
  await page.goto(satchel.address);
  await connected(page);
  await page.getByTestId("model-picker").click();
  await expect(page.getByTestId("model-away")).toContainText("Its key is missing; enter FAR_KEY in Settings");
  await page.goto(`${satchel.origin}/ui/settings#secrets`);
  await expect(page.getByTestId("secret-row-FAR_KEY")).toContainText("Needed by the provider far.");
  await page.getByTestId("secret-input-FAR_KEY").fill(VALUE);
  await page.getByTestId("secret-save-FAR_KEY").click();
  await expect(page.getByTestId("secret-row-FAR_KEY")).toContainText("In the vault");
  await expect(page.getByTestId("provider-row-far")).toContainText("Key in place");
  await page.getByRole("link", { name: "Chat", exact: true }).first().click();
  await expect(page.getByTestId("model-picker")).toHaveText("m");
});

/** R314, R319 */
test("a name that is none is refused with a sentence, and the screen is sound to a screen reader", async ({ page, satchel }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/settings#secrets`);
  await ready(page);
  await page.getByTestId("secret-new-name").fill("my key");
  await page.getByTestId("secret-new-value").fill(VALUE);
  await page.getByTestId("secret-new-save").click();
  await expect(page.getByTestId("secret-error")).toContainText("A secret's name has up to 128 letters, digits and _");
  await page.getByTestId("secret-new-name").fill("MY_KEY");
  await page.getByTestId("secret-new-value").fill(VALUE);
  await page.getByTestId("secret-new-save").click();
  await expect(page.getByTestId("secret-row-MY_KEY")).toContainText("In the vault");
  await page.evaluate(await readFile(axe, "utf8"));
  const { violations } = await page.evaluate(() => (window as any).axe.run());
  const serious = violations.filter((found: any) => ["serious", "critical"].includes(found.impact));
  expect(serious.map((found: any) => `${found.id}: ${found.nodes[0].html}`)).toEqual([]);
});
