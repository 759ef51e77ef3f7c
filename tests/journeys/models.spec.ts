// Models: set up in Settings, chosen in the composer.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "@playwright/test";

import { Satchel, connected, expect, freePort, ready, test as base } from "./harness";
import { keptText } from "./kept_text";
import { ModelEndpoint } from "./model_endpoint";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The key that must never be seen again. */
const KEY = "sk-canary-0123456789";

const test = base.extend<{ endpoint: ModelEndpoint }>({
  endpoint: async ({}, use) => {
    const models = [
      { id: "tiny", context_length: 8192 },
      { id: "large", name: "The Large One", pricing: { prompt: "0.00000015", completion: "0.0000006" } },
    ];
    const endpoint = await ModelEndpoint.listen({ models });
    await use(endpoint);
    await endpoint.close();
  },
});

/** Opens the settings and adds an endpoint, up to what is typed. */
async function fill(page: Page, origin: string, name: string, address: string, key = ""): Promise<void> {
  await page.goto(`${origin}/ui/settings#models`);
  await ready(page);
  await page.getByTestId("endpoint-add").click();
  await page.getByTestId("endpoint-name").fill(name);
  await page.getByTestId("endpoint-address").fill(address);
  await page.getByTestId("endpoint-key").fill(key);
}

/** R322 */
test("an endpoint is set up with its key, which is sealed, and its models are chosen by keys", async ({ page, satchel, endpoint }) => {
  endpoint.options.key = KEY;
  await fill(page, satchel.origin, "My machine", endpoint.baseUrl);
  await page.getByTestId("endpoint-try").click();
  await expect(page.getByTestId("endpoint-tried")).toContainText("needs a key");
  await page.getByTestId("endpoint-key").fill("sk-wrong");
  await page.getByTestId("endpoint-try").click();
  await expect(page.getByTestId("endpoint-tried")).toContainText("does not accept the key");
  await page.getByTestId("endpoint-key").fill(KEY);
  await page.getByTestId("endpoint-try").click();
  await expect(page.getByTestId("endpoint-tried")).toContainText("It has 2 models: tiny, large.");
  await page.getByTestId("endpoint-save").click();
  await expect(page.getByTestId("endpoint-row-My machine")).toContainText("Key on this device");

  // Nowhere in clear: neither on the page nor in anything that is kept.
  await page.getByTestId("endpoint-edit-My machine").click();
  await expect(page.getByTestId("endpoint-key")).toHaveValue("");
  expect(await page.content()).not.toContain(KEY);
  expect(await keptText(page)).not.toContain(KEY);
  expect(await keptText(page)).toContain("My machine");

  // A reload finds key and models, and the choice is made by keys alone.
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("tiny");
  await page.getByTestId("model-picker").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("model-query")).toBeFocused();
  await expect(page.getByTestId("model-option-browser/My machine/tiny")).toContainText("8k tokens");
  await expect(page.getByTestId("model-option-browser/My machine/large")).toContainText("$0.15 in, $0.60 out");
  await page.keyboard.press("ArrowDown");
  const before = await keptText(page);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("model-picker")).toBeFocused();
  await expect(page.getByTestId("model-picker")).toContainText("The Large One");
  await expect.poll(() => keptText(page), { message: "the choice is stored" }).not.toBe(before);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("The Large One");
  await page.getByTestId("model-picker").click();
  await page.keyboard.type("my tin");
  await expect(page.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("model-list")).toHaveCount(0);
  await expect(page.getByTestId("model-picker")).toBeFocused();
});

/** R319 */
test("what keeps an endpoint from answering is said in a sentence", async ({ page, satchel, endpoint }) => {
  await fill(page, satchel.origin, "closed", endpoint.baseUrl);
  endpoint.options.cors = false;
  await page.getByTestId("endpoint-try").click();
  await expect(page.getByTestId("endpoint-tried")).toContainText("does not let this page read its answers (CORS)");
  await expect(page.getByTestId("endpoint-tried")).toContainText(`allow the origin ${satchel.origin}`);

  await page.getByTestId("endpoint-address").fill(`http://127.0.0.1:${await freePort()}/v1`);
  await page.getByTestId("endpoint-try").click();
  await expect(page.getByTestId("endpoint-tried")).toContainText("Nothing answers at 127.0.0.1:");

  endpoint.options.cors = true;
  await page.getByTestId("endpoint-address").fill(endpoint.baseUrl.replace("/v1", ""));
  await page.getByTestId("endpoint-try").click();
  await expect(page.getByTestId("endpoint-tried")).toContainText("usually ends with /v1");

  // What cannot be right is said before anything is asked, and nothing is saved.
  const before = endpoint.asked.length;
  await page.getByTestId("endpoint-address").fill("http://models.example/v1");
  await page.getByTestId("endpoint-key").fill(KEY);
  await page.getByTestId("endpoint-save").click();
  await expect(page.getByTestId("endpoint-error")).toContainText("can be read on the way");
  await page.getByTestId("endpoint-address").fill("nowhere");
  await page.getByTestId("endpoint-save").click();
  await expect(page.getByTestId("endpoint-error")).not.toBeEmpty();
  expect(endpoint.asked.length).toBe(before);
  await expect(page.getByTestId("endpoint-row-closed")).toHaveCount(0);
});

/** R030, R322 */
test("an endpoint that goes away says so, keeps its choice, and is removed with its key", async ({ page, satchel, endpoint }) => {
  endpoint.options.key = KEY;
  await fill(page, satchel.origin, "home", endpoint.baseUrl, KEY);
  await page.getByTestId("endpoint-save").click();
  await expect(page.getByTestId("endpoint-row-home")).toBeVisible();
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await page.getByTestId("model-picker").click();
  await page.getByTestId("model-option-browser/home/large").click();
  await expect(page.getByTestId("model-picker")).toContainText("The Large One");

  endpoint.options.key = "another";
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toHaveAccessibleName(/Model: large\. .*does not accept the key/);
  await page.getByTestId("model-picker").click();
  await expect(page.getByTestId("model-away")).toContainText("does not accept the key");
  await page.getByTestId("model-set-up").click();
  await expect(page).toHaveURL(/\/ui\/settings#models$/);

  await page.getByTestId("endpoint-remove-home").click();
  await page.getByTestId("endpoint-remove-home-ok").click();
  await expect(page.getByTestId("endpoint-row-home")).toHaveCount(0);
  const secrets = await page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const reading = database.transaction("secrets").objectStore("secrets").getAllKeys();
    const keys = await new Promise<IDBValidKey[]>((resolve) => (reading.onsuccess = () => resolve(reading.result)));
    database.close();
    return keys;
  });
  expect(secrets).not.toContain("endpoint/home");
});

test("with no model at all, the three ways to have one are told", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await expect(page.getByTestId("no-model")).toContainText("three ways");
  await page.getByTestId("model-picker").click();
  await expect(page).toHaveURL(/\/ui\/settings#models$/);
  await expect(page.getByTestId("endpoint-add")).toBeInViewport();
});

test.describe("through the server", () => {
  const served = test.extend<{}>({
    satchel: async ({ folder, endpoint }, use) => {
      const data = join(folder, "data");
      await mkdir(data);
      const provider = `[[provider]]\nname = "this machine"\nbase_url = "${endpoint.baseUrl}"\nformat = "openai"\n`;
      const hosts = `[outbound]\nprivate_hosts = ["127.0.0.1:${endpoint.port}"]\n`;
      await writeFile(join(data, "satchel.toml"), provider + hosts);
      const satchel = new Satchel(await freePort(), data);
      await satchel.start();
      await use(satchel);
      await satchel.stop();
    },
  });

  served("the operator's provider offers its models, and cannot be changed here", async ({ page, satchel }) => {
    await page.goto(satchel.address);
    await connected(page);
    await expect(page.getByTestId("model-picker")).toContainText("tiny");
    await page.getByTestId("model-picker").click();
    await expect(page.getByRole("group", { name: "this machine · through the server" })).toBeVisible();
    await page.getByTestId("model-set-up").click();
    const row = page.getByTestId("provider-row-this machine");
    await expect(row).toContainText("set up by the operator");
    await expect(row.getByRole("button", { name: "Edit" })).toHaveCount(0);
    await page.getByTestId("provider-try-this machine").click();
    await expect(page.getByTestId("provider-tried-this machine")).toContainText("It has 2 models");
  });

  served("a provider of one's own keeps its key in the vault", async ({ page, satchel, endpoint }) => {
    endpoint.options.key = KEY;
    await page.goto(satchel.address);
    await connected(page);
    await page.goto(`${satchel.origin}/ui/settings#models`);
    await page.getByTestId("provider-add").click();
    await page.getByTestId("provider-name").fill("mine");
    await page.getByTestId("provider-address").fill("http://192.168.77.1/v1");
    await page.getByTestId("provider-key").fill(KEY);
    await page.getByTestId("provider-save").click();
    await expect(page.getByTestId("provider-error")).toContainText("private_hosts");
    await page.getByTestId("provider-address").fill(endpoint.baseUrl);
    await page.getByTestId("provider-save").click();
    const row = page.getByTestId("provider-row-mine");
    await expect(row).toContainText("Key in place");
    await page.getByTestId("provider-try-mine").click();
    await expect(page.getByTestId("provider-tried-mine")).toContainText("It has 2 models");
    expect(endpoint.asked.at(-1)).toMatchObject({ path: "/v1/models", authorization: `Bearer ${KEY}` });
    expect(await page.content()).not.toContain(KEY);
    expect(await keptText(page)).not.toContain(KEY);

    await page.getByTestId("provider-edit-mine").click();
    await expect(page.getByTestId("provider-secret")).toHaveValue("MINE_API_KEY");
    await page.getByTestId("provider-models").fill("only-this");
    await page.getByTestId("provider-save").click();
    await expect(page.getByTestId("provider-save")).toHaveCount(0);
    await page.goto(`${satchel.origin}/ui/chat`);
    await page.getByTestId("model-picker").click();
    await expect(page.getByTestId("model-option-server/mine/only-this")).toBeVisible();
    await page.goto(`${satchel.origin}/ui/settings#models`);
    await page.getByTestId("provider-remove-mine").click();
    await page.getByTestId("provider-remove-mine-ok").click();
    await expect(row).toHaveCount(0);
  });
});

test("how models answer is set, and what cannot be is said", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/settings#models`);
  await ready(page);
  await page.getByTestId("model-temperature").fill("hot");
  await page.getByTestId("model-temperature").blur();
  await expect(page.getByText("A temperature is a number from 0 to 2")).toBeVisible();
  await page.getByTestId("model-temperature").fill("0.7");
  await page.getByTestId("model-temperature").blur();
  await page.getByTestId("model-max-tokens").fill("2000");
  await page.getByTestId("model-max-tokens").blur();
  await page.getByTestId("model-system-prompt").fill("Be brief.");
  await page.getByTestId("model-system-prompt").blur();
  await expect.poll(() => keptText(page)).toContain("Be brief.");
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-temperature")).toHaveValue("0.7");
  await expect(page.getByTestId("model-max-tokens")).toHaveValue("2000");
  await expect(page.getByTestId("model-system-prompt")).toHaveValue("Be brief.");
});

/** R314 */
test("the choice of a model and its settings look sound to a screen reader", async ({ page, satchel, endpoint }) => {
  await fill(page, satchel.origin, "home", endpoint.baseUrl);
  await page.evaluate(await readFile(axe, "utf8"));
  const serious = () =>
    page.evaluate(async () => {
      const { violations } = await (window as any).axe.run();
      return violations.filter((found: any) => ["serious", "critical"].includes(found.impact)).map((found: any) => `${found.id}: ${found.nodes[0].html}`);
    });
  expect(await serious()).toEqual([]);
  await page.getByTestId("endpoint-save").click();
  await expect(page.getByTestId("endpoint-row-home")).toBeVisible();
  expect(await serious()).toEqual([]);
  await page.getByRole("link", { name: "Chat", exact: true }).first().click();
  await page.getByTestId("model-picker").click();
  await expect(page.getByRole("option").first()).toBeVisible();
  expect(await serious()).toEqual([]);
});
