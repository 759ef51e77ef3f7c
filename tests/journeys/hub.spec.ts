// An HTTP tool from its making to its use by another program: made by a form of several requests, tried, saved, equipped, called at /mcp; and its key
// is nowhere but at its host.
import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { connected, expect, ready } from "./harness";
import { test } from "./host";
import { keptText } from "./kept_text";
import { askHub } from "./mcp_program";

/** What must be seen nowhere but at the host it is for. */
const KEY = "hub-canary-0123456789";

/** Writes out everything that is in a ZIP. */
const READ_ZIP = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nfor name in z.namelist(): sys.stdout.buffer.write(z.read(name))";

test.describe.configure({ timeout: 240_000 });

/** R089, R102, R227, F20, I8: no code, no JSON; and nobody but the host ever sees the key. */
test("an HTTP tool of two requests is made, saved and used by another program, and its key is nowhere but at its host", async ({ page, satchel, host }) => {
  host.answer = ({ path, headers }) =>
    path.startsWith("/places") ? { body: { items: [{ id: "r-7" }], you: headers["x-key"] } } : { body: { sky: path, you: headers["x-key"] } };
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/settings#secrets`);
  await page.getByTestId("secret-new-name").fill("SKY_KEY");
  await page.getByTestId("secret-new-value").fill(KEY);
  await page.getByTestId("secret-new-save").click();
  await expect(page.getByTestId("secret-row-SKY_KEY")).toContainText("In the vault");

  await page.goto(`${satchel.origin}/ui/tools`);
  await page.getByTestId("tool-new").click();
  await page.getByTestId("maker-bundle-name").fill("Skies");
  await page.getByTestId("maker-name").fill("Look up");
  await page.getByTestId("maker-description").fill("Says what the sky over a city is like");
  await page.getByTestId("maker-url").fill(`http://${host.name}/places?of=\${city}`);
  await page.getByTestId("maker-step-1").getByText("Query, headers, body and authentication").click();
  await page.getByTestId("maker-headers").fill("X-Key: ${SKY_KEY}");
  await page.getByTestId("maker-add-step").click();
  await expect(page.getByTestId("maker-step-name")).toHaveValue("first");
  await page.getByTestId("maker-step-name").fill("places");
  await expect(page.getByTestId("maker-earlier-2")).toContainText("${steps.places.id}");
  await page.getByTestId("maker-url-2").fill(`http://${host.name}/sky/\${steps.places.items.0.id}`);
  await page.getByTestId("maker-step-2").getByText("Query, headers, body and authentication").click();
  await page.getByTestId("maker-headers-2").fill("X-Key: ${SKY_KEY}");
  await expect(page.getByTestId("maker-argument-city")).toBeVisible();
  await expect(page.getByTestId("maker-secrets")).toContainText("SKY_KEY");
  await page.getByTestId("maker-save").click();
  await expect(page.getByTestId("tool-details")).toContainText("Look up");
  await page.getByTestId("tester/city").fill("Rome");
  await page.getByTestId("tester-run").click();
  await expect(page.getByTestId("tester-result")).toContainText("/sky/r-7");
  expect(host.asked.map(({ path, headers }) => [path, headers["x-key"]])).toEqual([
    ["/places?of=Rome", KEY],
    ["/sky/r-7", KEY],
  ]);

  await page.goto(`${satchel.origin}/ui/toolsets`);
  await page.getByTestId("saved-toolset-new").click();
  await page.getByTestId("saved-toolset-name").fill("outside");
  await page.getByTestId("saved-toolset-tool-skies.look-up").check();
  await page.getByTestId("saved-toolset-build").click();
  await expect(page.getByTestId("saved-toolset-row-outside")).toBeVisible();
  await page.getByTestId("saved-toolset-equip-outside").click();
  const names = async () => ((await askHub(satchel, "tools/list", {}))?.tools ?? []).map((tool: { name: string }) => tool.name);
  await expect.poll(names, { timeout: 30_000 }).toEqual(["skies_look-up", "enter-configuration-mode"]);
  const seen = await askHub(satchel, "tools/call", { name: "skies_look-up", arguments: { city: "Oslo" } });
  expect(seen.structuredContent).toEqual({ sky: "/sky/r-7", you: "${SKY_KEY}" });
  expect(host.asked).toHaveLength(4);

  // What the server was told is shown.
  await page.getByTestId("hub-published").getByText("What your server can offer").click();
  await expect(page.getByTestId("hub-published")).toContainText("skies:look-up HTTP tool");

  // F20: not in the page, not in what the browser keeps, not in an export, not in the server's files or its log.
  expect(await page.content()).not.toContain(KEY);
  expect(await keptText(page)).not.toContain(KEY);
  expect(JSON.stringify(seen)).not.toContain(KEY);
  const saving = page.waitForEvent("download");
  await page.getByTestId("toolset-export-skies").click();
  const exported = execFileSync("python3", ["-c", READ_ZIP, await (await saving).path()], { encoding: "latin1" });
  expect(exported).toContain("${SKY_KEY}");
  expect(exported).not.toContain(KEY);
  for (const name of await readdir(satchel.data)) {
    const bytes = await readFile(join(satchel.data, name)).catch(() => Buffer.alloc(0));
    expect(bytes.includes(KEY), `the key is in ${name}`).toBe(false);
  }
  expect(satchel.log).not.toContain(KEY);
});

/** R094: only calling one needs a network. */
test("with no server and no network HTTP tools are made, changed, found, switched and deleted", async ({ page, satchel }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/tools`);
  await ready(page);
  await satchel.stop();
  await page.context().setOffline(true);
  await page.reload();
  await page.getByTestId("tool-new").click();
  await page.getByTestId("maker-bundle-name").fill("Weather");
  await page.getByTestId("maker-name").fill("Forecast");
  await page.getByTestId("maker-description").fill("Says what the sky will do");
  await page.getByTestId("maker-url").fill("http://weather.test/sky/${city}");
  await page.getByTestId("maker-save").click();
  await expect(page.getByTestId("tool-details")).toContainText("Forecast");
  await page.getByTestId("tool-edit").click();
  await page.getByTestId("maker-description").fill("Says what the clouds will do");
  await page.getByTestId("maker-save").click();
  await expect(page).toHaveURL(/weather:forecast-2$/);
  await page.getByTestId("tester/city").fill("Rome");
  await page.getByTestId("tester-run").click();
  await expect(page.getByTestId("tester-result")).toContainText(/reach/);

  await page.goto(`${satchel.origin}/ui/tools`);
  await page.getByTestId("tools-find").fill("clouds");
  await expect(page.getByTestId("tools-found")).toContainText("weather:forecast-2");
  await expect(page.getByTestId("tools-found").locator("li")).toHaveCount(1);
  await page.getByTestId("tools-find").fill("forecast");
  await expect(page.getByTestId("tools-found").locator("li")).toHaveCount(2);
  await page.getByTestId("tool-enabled-weather:forecast-2").click();
  await expect(page.getByTestId("tool-card-weather:forecast-2")).toHaveAttribute("data-off", "true");
  await page.goto(`${satchel.origin}/ui/tools/weather:forecast-2`);
  await page.getByTestId("tool-delete").click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("tool-card-weather:forecast")).toBeVisible();
  await expect(page.getByTestId("tool-card-weather:forecast-2")).toHaveCount(0);
});

/** The hub is asked when something about it has changed, and not with every word of a server. */
test("what is published is not read again as long as nothing about it changes", async ({ page, profile, satchel }) => {
  await page.goto(satchel.address);
  await connected(page);
  const asked = (path: string) => profile.requests.filter((url) => url.endsWith(path)).length;
  // Once to begin with, and once when the events begin.
  await expect.poll(() => asked("/api/v1/hub"), { timeout: 30_000 }).toBe(2);
  await page.goto(`${satchel.origin}/ui/tools`);
  await ready(page);
  // Another page begins anew.
  await expect.poll(() => asked("/api/v1/hub"), { timeout: 30_000 }).toBe(4);
  // A switch is news of which all is looked at again, one after the other: who looks for the third time has done with the second.
  for (const round of [1, 2, 3]) {
    const looked = asked("/api/v1/mcp/servers");
    await page.getByTestId("tool-enabled-read_file").click();
    await expect.poll(() => asked("/api/v1/mcp/servers"), { message: `round ${round}` }).toBeGreaterThan(looked);
  }
  expect(asked("/api/v1/hub")).toBe(4);
});
