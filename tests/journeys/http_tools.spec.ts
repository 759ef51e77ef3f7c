// HTTP tools and bundles: made by a form or by the tools interface, called, switched off, deleted; and the web search that is built in.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";

import { zip } from "./bundle";
import { connected, expect, ready } from "./harness";
import { type Host, test } from "./host";
import { keptText } from "./kept_text";
import { call, say } from "./scripted_model";
import { execute, install } from "./toolset";

/** What must be seen nowhere but at the host it is for. */
const KEY = "exa-canary-0123456789";

test.describe.configure({ timeout: 240_000 });

const EXA = "builtin-exa-web-search";
const trigger = (page: Page) => page.getByTestId("toolsets-popover-trigger");
const row = (page: Page, id: string) => page.getByTestId(`toolset-row-${id}`);
const box = (page: Page, id: string) => page.getByTestId(`toolset-checkbox-${id}`);

async function open(page: Page): Promise<void> {
  await trigger(page).click();
  await expect(row(page, "builtin")).toBeVisible();
}

/** Sends a request to the local API. */
const local = (page: Page, method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> =>
  page.evaluate(
    async ([method, path, body]) => {
      const answer = await fetch(path as string, { method: method as string, body: body === undefined ? undefined : JSON.stringify(body) });
      const text = await answer.text();
      return { status: answer.status, body: text ? JSON.parse(text) : null };
    },
    [method, path, body],
  );

/** Enters the key and the address of the stand-in, as a user does. */
async function configure(page: Page, origin: string, host: Host): Promise<void> {
  await page.goto(`${origin}/ui/toolsets/${EXA}`);
  await page.getByTestId("exa-address").fill(`http://${host.name}`);
  await page.getByTestId("exa-address-save").click();
  await page.getByTestId("toolset-secrets").click();
  await page.getByTestId("secret-input-EXA_API_KEY").fill(KEY);
  await page.getByTestId("secret-save-EXA_API_KEY").click();
  await expect(page.getByTestId("secret-row-EXA_API_KEY")).toContainText("In the vault");
}

/** R267, R096 */
test("toolsets popover displays Exa Web Search toolset", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await open(page);
  await expect(row(page, EXA)).toContainText("Exa Web Search");
  await expect(row(page, EXA)).toContainText("(0/4)");
});

/** R268, R167 */
test("unconfigured toolset checkbox is disabled with tooltip", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await open(page);
  await expect(box(page, EXA)).toBeDisabled();
  await expect(box(page, EXA)).toHaveAttribute("title", "API key not configured");
  await expect(row(page, EXA)).toContainText("API key not configured");
});

/** R272 */
test("toolsets badge shows count when tools enabled", async ({ page, satchel, host }) => {
  await page.goto(satchel.address);
  await connected(page);
  await configure(page, satchel.origin, host);
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await open(page);
  await expect(box(page, EXA)).toBeEnabled();
  await box(page, EXA).click();
  await expect(page.getByTestId("toolsets-badge")).toHaveText("4");
});

/** R273, F20: configured, enabled, asked, searched, answered; and the key is nowhere but at the host. */
test("agentic chat with Exa search", async ({ page, satchel, model, host }) => {
  host.answer = ({ headers }) => ({
    body: { results: [{ title: "Rust", url: "https://www.rust-lang.org", text: `you sent ${headers["x-api-key"]}` }] },
  });
  model.script = (asked, turn) => {
    if (turn > 0) return say("Rust is at rust-lang.org.");
    const search = asked.tools?.find((tool) => tool.function.name.endsWith("__search"));
    return call([search?.function.name ?? "none", { query: "rust language", num_results: 3 }]);
  };
  await page.goto(satchel.address);
  await connected(page);
  await configure(page, satchel.origin, host);
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await open(page);
  await box(page, EXA).click();
  await page.keyboard.press("Escape");
  await page.getByTestId("chat-input").fill("Where is Rust?");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-assistant").last()).toContainText("Rust is at rust-lang.org.");
  expect(host.asked).toHaveLength(1);
  const [asked] = host.asked;
  expect([asked.method, asked.path, asked.headers["x-api-key"]]).toEqual(["POST", "/search", KEY]);
  expect(JSON.parse(asked.body)).toMatchObject({ query: "rust language", numResults: 3 });
  expect(JSON.stringify(model.asked)).toContain("rust-lang.org");
  // F20: not to the model, not in the page, not in anything that is kept or exported.
  expect(JSON.stringify(model.asked)).not.toContain(KEY);
  expect(await page.content()).not.toContain(KEY);
  expect(await keptText(page)).not.toContain(KEY);
  for (const name of await readdir(satchel.data)) {
    const bytes = await readFile(join(satchel.data, name)).catch(() => Buffer.alloc(0));
    expect(bytes.includes(KEY), `the key is in ${name}`).toBe(false);
  }
});

/** C48, R167: the operator has the first word. */
test.describe("with a policy", () => {
  test.use({ operator: `[policy]\ndisabled_toolsets = ["${EXA}"]\n` });

  test("a toolset that the operator does not allow says so", async ({ page, satchel }) => {
    await page.goto(satchel.address);
    await connected(page);
    await page.goto(`${satchel.origin}/ui/chat`);
    await ready(page);
    await open(page);
    await expect(box(page, EXA)).toBeDisabled();
    await expect(box(page, EXA)).toHaveAttribute("title", "Disabled by administrator");
  });
});

const BUNDLE = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b1";

const forecast = (host: Host) => ({
  type: "http",
  displayName: "Forecast",
  description: "Says what the sky will do",
  argSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  httpImpl: { allowedHosts: [host.name], request: { urlTemplate: `http://${host.name}/sky/\${city}` } },
});

/** R278, R239–R247, R251, R252, R255: from the first request to the reaping. */
test("bundles and HTTP tools through the tools interface", async ({ page, satchel, host }) => {
  host.answer = ({ path }) => ({ body: { path } });
  await page.goto(satchel.address);
  await connected(page);
  const tool = `${BUNDLE}/tools/forecast/version/1`;
  expect((await local(page, "PUT", BUNDLE, { slug: "weather", displayName: "Weather", isEnabled: true, description: "" })).status).toBe(201);
  expect((await local(page, "PUT", tool, forecast(host))).status).toBe(201);
  expect((await local(page, "PUT", tool, forecast(host))).status).toBe(409);
  const invoked = await local(page, "POST", `${tool}/invoke`, { args: { city: "a/b" } });
  expect(invoked).toEqual({ status: 200, body: { ok: true, value: { path: "/sky/a%2Fb" } } });
  const bad = await local(page, "POST", `${tool}/invoke`, { args: { city: 5 } });
  expect([bad.status, bad.body.error.path]).toEqual([400, "/city"]);
  expect(host.asked).toHaveLength(1);
  // A host that is on no list is refused when it is saved.
  const elsewhere = { ...forecast(host), httpImpl: { allowedHosts: [host.name], request: { urlTemplate: "https://evil.example/" } } };
  const refused = await local(page, "PUT", `${BUNDLE}/tools/other/version/1`, elsewhere);
  expect([refused.status, refused.body.error.path]).toEqual([400, "httpImpl.request.urlTemplate"]);
  // And one that a redirect leads to is refused when it is called.
  host.answer = () => ({ status: 302, headers: { location: "http://127.0.0.1:9/" }, body: "" });
  const led = await local(page, "POST", `${tool}/invoke`, { args: { city: "x" } });
  expect(led.body.ok).toBe(false);
  expect(led.body.error).toContain("allowedHosts");

  await local(page, "PATCH", BUNDLE, { isEnabled: false });
  expect((await local(page, "PATCH", tool, { isEnabled: false })).status).toBe(409);
  expect((await local(page, "PUT", `${BUNDLE}/tools/forecast/version/2`, forecast(host))).status).toBe(409);
  expect((await local(page, "POST", `${tool}/invoke`, { args: { city: "x" } })).status).toBe(409);
  await local(page, "PATCH", BUNDLE, { isEnabled: true });
  expect((await local(page, "DELETE", BUNDLE)).status).toBe(409);
  expect((await local(page, "DELETE", tool)).status).toBe(204);
  expect((await local(page, "DELETE", BUNDLE)).status).toBe(204);
  expect((await local(page, "GET", BUNDLE)).status).toBe(404);
  // Two days later it is gone for good.
  await page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const transaction = database.transaction("toolsets", "readwrite");
    const walking = transaction.objectStore("toolsets").openCursor();
    walking.onsuccess = () => {
      const cursor = walking.result;
      if (!cursor) return;
      const fields = JSON.parse(cursor.value.fields);
      fields.soft_deleted_at = new Date(Date.now() - 49 * 60 * 60 * 1000).toISOString();
      cursor.update({ ...cursor.value, fields: JSON.stringify(fields) });
      cursor.continue();
    };
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  });
  await page.reload();
  await ready(page);
  await expect.poll(() => keptText(page), { timeout: 120_000 }).not.toContain('"slug":"weather"');
});

/** R227, R094: a person makes a tool without writing code, tries it, makes another version of it, and deletes that. */
test("an HTTP tool is made by a form, tried, changed and deleted", async ({ page, satchel, host }) => {
  host.answer = ({ path }) => ({ body: { asked: path } });
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/tools`);
  await page.getByTestId("tool-new").click();
  await page.getByTestId("maker-bundle-name").fill("Weather");
  await page.getByTestId("maker-name").fill("Forecast");
  await page.getByTestId("maker-description").fill("Says what the sky will do");
  await page.getByTestId("maker-url").fill("ftp://example.com");
  await page.getByTestId("maker-save").click();
  await expect(page.getByTestId("maker-error")).toContainText("must begin with http:// or https://");
  await page.getByTestId("maker-url").fill(`http://${host.name}/sky/\${city}`);
  await expect(page.getByTestId("maker-argument-city")).toBeVisible();
  await page.getByTestId("maker-about-city").fill("Which city");
  // What is refused leaves nothing behind, no empty bundle either.
  await page.getByTestId("maker-version").fill("one and a half");
  await page.getByTestId("maker-save").click();
  await expect(page.getByTestId("maker-error")).toContainText("version");
  const bundles = await local(page, "GET", "/local/tools/bundles?includeDisabled=true");
  expect(bundles.body.bundles.map((bundle: { slug: string }) => bundle.slug)).toEqual(["builtin", EXA]);
  await page.getByTestId("maker-version").fill("1");
  await page.getByTestId("maker-save").click();
  await expect(page.getByTestId("tool-details")).toContainText("Forecast");
  await page.getByTestId("tester/city").fill("Rome");
  await page.getByTestId("tester-run").click();
  await expect(page.getByTestId("tester-result")).toContainText("/sky/Rome");

  await page.getByTestId("tool-edit").click();
  await expect(page.getByTestId("maker-version")).toHaveValue("2");
  await page.getByTestId("maker-url").fill(`http://${host.name}/clouds/\${city}`);
  await page.getByTestId("maker-save").click();
  await expect(page).toHaveURL(/weather:forecast-2$/);
  await page.getByTestId("tester/city").fill("Oslo");
  await page.getByTestId("tester-run").click();
  await expect(page.getByTestId("tester-result")).toContainText("/clouds/Oslo");
  const first = await local(page, "GET", "/local/tools/weather:forecast");
  expect(first.body.enabled).toBe(false);
  await page.getByTestId("tool-delete").click();
  await page.getByTestId("confirm-ok").click();
  await expect(page.getByTestId("tool-card-weather:forecast")).toBeVisible();
  await expect(page.getByTestId("tool-card-weather:forecast-2")).toHaveCount(0);
});

/** R228, R307 */
test("a trial of an HTTP tool can be stopped", async ({ page, satchel, host }) => {
  host.answer = () => new Promise(() => {});
  await page.goto(satchel.address);
  await connected(page);
  const tools = [{ slug: "forecast", version: "1", ...forecast(host) }];
  expect((await local(page, "PUT", BUNDLE, { slug: "weather", displayName: "Weather", tools })).status).toBe(201);
  await page.goto(`${satchel.origin}/ui/tools/weather:forecast`);
  await page.getByTestId("tester/city").fill("Rome");
  await page.getByTestId("tester-run").click();
  await expect.poll(() => host.asked.length).toBe(1);
  await page.getByTestId("tester-stop").click();
  await expect(page.getByTestId("tester-result")).toContainText("stopped");
  await expect(page.getByTestId("tester-run")).toBeEnabled();
});

/** R227: an edit is of what it changes, and whoever uses the tool goes on with it. */
test("an edit keeps what the form does not show, and chats and saved toolsets go on with the new version", async ({ page, satchel, host }) => {
  host.answer = ({ path }) => ({ body: { asked: path } });
  await page.goto(satchel.address);
  await connected(page);
  const city = { type: "string", enum: ["Rome", "Oslo"], description: "Which city" };
  const whole = {
    ...forecast(host),
    tags: ["sky"],
    requiresConfirmation: true,
    timeoutSeconds: 9,
    argSchema: { type: "object", properties: { city }, required: ["city"] },
    outputSchema: { type: "object", required: ["asked"] },
    httpImpl: { allowedHosts: [host.name], request: { urlTemplate: `http://${host.name}/sky/\${city}`, timeoutMS: 1500 }, maxCallsPerMinute: 30 },
  };
  const tools = [{ slug: "forecast", version: "1", ...whole }];
  expect((await local(page, "PUT", BUNDLE, { slug: "weather", displayName: "Weather", tools })).status).toBe(201);
  const saved = { name: "skies", tools: [{ namespacedName: "weather.forecast" }] };
  expect((await local(page, "POST", "/local/saved-toolsets", saved)).status).toBe(201);
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await open(page);
  await box(page, "weather").click();
  await expect(page.getByTestId("toolsets-badge")).toHaveText("1");

  await page.goto(`${satchel.origin}/ui/tools/weather:forecast`);
  await page.getByTestId("tool-edit").click();
  await page.getByTestId("maker-url").fill(`http://${host.name}/clouds/\${city}`);
  await page.getByTestId("maker-save").click();
  await expect(page).toHaveURL(/weather:forecast-2$/);
  const { body: made } = await local(page, "GET", `${BUNDLE}/tools/forecast/version/2`);
  expect([made.tags, made.requiresConfirmation, made.argSchema, made.outputSchema]).toEqual([["sky"], true, whole.argSchema, whole.outputSchema]);
  const request = { ...whole.httpImpl.request, urlTemplate: `http://${host.name}/clouds/\${city}` };
  expect(made.httpImpl).toEqual({ ...whole.httpImpl, request });

  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  await expect(page.getByTestId("toolsets-badge")).toHaveText("1");
  const { body: skies } = await local(page, "GET", "/local/saved-toolsets/skies");
  expect([skies.warnings, skies.tools[0].namespacedName]).toEqual([[], "weather.forecast-2"]);
});

/** I8, R303: who sends a secret of yours says so, and sends nothing without a yes. */
test("a stranger's HTTP tool names the secret that it sends, and sends nothing where that is denied", async ({ page, satchel, host }) => {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/settings#secrets`);
  await page.getByTestId("secret-new-name").fill("SKY_KEY");
  await page.getByTestId("secret-new-value").fill(KEY);
  await page.getByTestId("secret-new-save").click();
  await expect(page.getByTestId("secret-row-SKY_KEY")).toContainText("In the vault");
  const yaml = `manifest_version: "1"
id: stranger
name: A stranger's sky
version: "1.0.0"
tools:
  - id: look
    type: http
    input_schema: {type: object, properties: {city: {type: string}}, required: [city]}
    http: {allowedHosts: ["${host.name}"], request: {urlTemplate: "http://${host.name}/sky/\${city}", headers: {X-Key: "\${SKY_KEY}"}}}
`;
  await install(page, zip([{ path: "toolset.yaml", text: yaml }]));
  const asking = { params: { city: "Rome" }, ask: true };
  const denied = execute(page, "stranger", "look", asking);
  await expect(page.getByTestId("host-grant")).toContainText(host.name);
  await expect(page.getByTestId("host-grant-secrets")).toContainText("It also sends your secret SKY_KEY there.");
  await page.getByTestId("host-grant-deny").click();
  expect((await denied).error).toBeTruthy();
  expect(host.asked).toEqual([]);

  const allowed = execute(page, "stranger", "look", asking);
  await page.getByTestId("host-grant-allow").click();
  expect((await allowed).error).toBeUndefined();
  expect(host.asked.map(({ path, headers }) => [path, headers["x-key"]])).toEqual([["/sky/Rome", KEY]]);
  // The answer holds.
  expect((await execute(page, "stranger", "look", asking)).error).toBeUndefined();
  expect(host.asked).toHaveLength(2);
});
