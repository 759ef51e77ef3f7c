// The wrench: which tools a chat offers its model, chosen toolset by toolset and tool by tool.
import type { Page } from "@playwright/test";

import { zip } from "./bundle";
import { expectSound } from "./axe";
import { expect, ready, type Satchel, setting, test } from "./harness";
import { install, toolset } from "./toolset";

test.describe.configure({ timeout: 180_000 });

const SOURCE = (name: string) => `def ${name}(workspace):\n    return {}\n`;

/** A toolset of so many tools. */
const of = (id: string, tools: string[], more = "") =>
  toolset(
    id,
    tools.map((name) => ({ name, source: SOURCE(name) })),
    more,
  );

const many = (count: number) => Array.from({ length: count }, (_, at) => `tool_${String(at).padStart(2, "0")}`);

const trigger = (page: Page) => page.getByTestId("toolsets-popover-trigger");
const popover = (page: Page) => page.getByTestId("toolsets-popover-content");
const badge = (page: Page) => page.getByTestId("toolsets-badge");
const row = (page: Page, id: string) => page.getByTestId(`toolset-row-${id}`);
const box = (page: Page, id: string) => page.getByTestId(`toolset-checkbox-${id}`);
const toolBox = (page: Page, id: string, tool: string) => page.getByTestId(`tool-checkbox-${id}-${tool}`);

/** Opens the popover and waits until it knows what there is. */
async function open(page: Page): Promise<void> {
  await trigger(page).click();
  await expect(row(page, "builtin")).toBeVisible();
}

/** What a chat has chosen, as it is stored. */
const chosen = (page: Page, chat: string): Promise<unknown> =>
  page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).enabledTools, chat);

/** What is kept for the next chat. */
const last = (page: Page): Promise<unknown> =>
  page.evaluate(() => JSON.parse(localStorage.getItem("satchel-last-toolset-selection") ?? "null"));

const chatOf = (page: Page) => page.url().split("/").at(-1) ?? "";

/** Says something in a new chat, and waits until it has begun. */
async function begin(page: Page, text: string): Promise<string> {
  await page.getByTestId("chat-input").fill(text);
  await page.getByTestId("send-button").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  return chatOf(page);
}

async function start(page: Page, satchel: Satchel, bundles: Buffer[] = []): Promise<void> {
  await page.goto(`${satchel.origin}/ui/chat`);
  await ready(page);
  for (const bundle of bundles) await install(page, bundle);
}

/** R163, R265 */
test("toolsets popover trigger is visible", async ({ page, satchel }) => {
  await start(page, satchel);
  await expect(trigger(page)).toBeVisible();
  // On the left side of the composer, right after the +.
  const at = async (id: string) => (await page.getByTestId(id).boundingBox())!;
  const [plus, wrench, input] = [await at("palette-trigger"), await at("toolsets-popover-trigger"), await at("chat-input")];
  expect(plus.x + plus.width).toBeLessThanOrEqual(wrench.x);
  expect(wrench.x + wrench.width).toBeLessThanOrEqual(input.x);
  await expect(badge(page)).toHaveCount(0);
});

/** R164, R165, R266 */
test("toolsets popover opens and shows toolsets list", async ({ page, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"]), of("ant", ["dig"])]);
  await expect(popover(page)).toHaveCount(0);
  await open(page);
  await expect(popover(page).getByRole("heading", { name: "Toolsets" })).toBeVisible();
  const rows = popover(page).locator("[data-testid^=toolset-row-]");
  await expect(rows).toHaveText([/Built-in tools\s*\(0\/11\)/, /Exa Web Search\s*\(0\/4\)/, /The ant toolset\s*\(0\/1\)/, /The zoo toolset\s*\(0\/2\)/]);
  await trigger(page).click();
  await expect(popover(page)).toHaveCount(0);
});

/** R271, R174 */
test("toolset selection persists when popover is reopened", async ({ page, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"])]);
  await open(page);
  await page.getByTestId("toolset-expand-zoo").click();
  await toolBox(page, "zoo", "feed").check();
  await page.keyboard.press("Escape");
  await expect(popover(page)).toHaveCount(0);
  await open(page);
  await expect(row(page, "zoo")).toContainText("(1/2)");
  await page.getByTestId("toolset-expand-zoo").click();
  await expect(toolBox(page, "zoo", "feed")).toBeChecked();
  await expect(toolBox(page, "zoo", "count")).not.toBeChecked();
});

/** R231, R269 */
test("max tool iterations setting is visible", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  await expect(page.getByTestId("max-tool-iterations-input")).toBeVisible();
  await expect(page.getByTestId("max-tool-iterations-input")).toHaveValue("5");
  await expect(page.getByTestId("max-tool-iterations-switch")).not.toBeChecked();
});

/** R191, R231, R270 */
test("can modify max tool iterations setting", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/settings`);
  await ready(page);
  await setting(page, "max-tool-iterations-input", "8");
  await expect(page.getByTestId("max-tool-iterations-switch")).toBeChecked();
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("max-tool-iterations-input")).toHaveValue("8");
  // Switched off it is the usual number again.
  await page.getByTestId("max-tool-iterations-switch").uncheck();
  await expect(page.getByTestId("max-tool-iterations-input")).toHaveValue("5");
  await expect(page.getByTestId("max-tool-iterations-switch")).not.toBeChecked();
});

/** R166, R168, R169, R170, R171, R233 */
test("the box of a toolset follows its tools, they follow it, and the badge counts them", async ({ page, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"])]);
  await open(page);
  const item = page.getByTestId("toolset-item-zoo");
  await expect(item.getByTestId("tool-row-zoo-feed")).toHaveCount(0);
  await page.getByTestId("toolset-expand-zoo").click();
  await expect(item.getByTestId("tool-row-zoo-feed")).toBeVisible();
  await toolBox(page, "zoo", "count").click();
  await expect(box(page, "zoo")).toBeChecked({ indeterminate: true });
  await expect(badge(page)).toHaveText("1");
  // Some are chosen, so that a click takes all out; the next takes all in.
  await box(page, "zoo").click();
  await expect(box(page, "zoo")).not.toBeChecked();
  await expect(box(page, "zoo")).not.toBeChecked({ indeterminate: true });
  await expect(toolBox(page, "zoo", "count")).not.toBeChecked();
  await expect(badge(page)).toHaveCount(0);
  await box(page, "zoo").click();
  await expect(box(page, "zoo")).toBeChecked();
  await expect(toolBox(page, "zoo", "feed")).toBeChecked();
  await expect(row(page, "zoo")).toContainText("(2/2)");
  await box(page, "builtin").click();
  await expect(badge(page)).toHaveText("13");
  await toolBox(page, "zoo", "feed").click();
  await expect(box(page, "zoo")).toBeChecked({ indeterminate: true });
  await expect(badge(page)).toHaveText("12");
  await page.getByTestId("toolset-expand-zoo").click();
  await expect(item.getByTestId("tool-row-zoo-feed")).toHaveCount(0);
});

/** R172, R173, R174 */
test("each chat keeps its selection, and the next one begins with the last", async ({ page, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"])]);
  await open(page);
  await box(page, "zoo").click();
  expect(await last(page)).toEqual({ zoo: ["count", "feed"] });
  await page.keyboard.press("Escape");
  const first = await begin(page, "the first");
  expect(await chosen(page, first)).toEqual({ zoo: ["count", "feed"] });
  await expect(badge(page)).toHaveText("2");

  // Changed here it is kept here, and for the next.
  await open(page);
  await box(page, "builtin").click();
  await page.getByTestId("toolset-expand-zoo").click();
  await toolBox(page, "zoo", "feed").click();
  await expect(badge(page)).toHaveText("12");
  await expect.poll(() => chosen(page, first)).toMatchObject({ zoo: ["count"] });
  expect(await last(page)).toEqual(await chosen(page, first));
  await page.reload();
  await ready(page);
  await expect(badge(page)).toHaveText("12");
  await open(page);
  await expect(box(page, "zoo")).toBeChecked({ indeterminate: true });
  await expect(box(page, "builtin")).toBeChecked();

  await page.keyboard.press("Escape");
  await page.getByTestId("new-chat").first().click();
  await expect(badge(page)).toHaveText("12");
  const second = await begin(page, "the second");
  expect(await chosen(page, second)).toEqual(await chosen(page, first));
  await open(page);
  await box(page, "builtin").click();
  await expect.poll(() => chosen(page, second)).toEqual({ zoo: ["count"] });
  await page.keyboard.press("Escape");
  await page.getByTestId("chat-list-item").filter({ hasText: "the first" }).click();
  await expect(badge(page)).toHaveText("12");
});

/** R173: however a chat begins. */
test("a chat that begins with a file or with a tool begins with the last selection too", async ({ page, satchel }) => {
  await start(page, satchel);
  await open(page);
  await page.getByTestId("toolset-expand-builtin").click();
  await toolBox(page, "builtin", "read_file").check();
  await page.keyboard.press("Escape");
  const expected = { builtin: ["read_file"] };
  await expect(page.getByTestId("workspace-panel")).toBeVisible();
  await page.getByTestId("workspace-upload-input").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  expect(await chosen(page, chatOf(page))).toEqual(expected);

  await page.getByTestId("new-chat").first().click();
  await expect(page).toHaveURL(/\/ui\/chat$/);
  await page.getByTestId("chat-input").pressSequentially("+write-file");
  await expect(page.getByTestId("palette-item-write_file")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await page.getByTestId("palette-form/path").fill("b.txt");
  await page.getByTestId("palette-form/content").fill("b");
  await page.getByTestId("palette-run").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  expect(await chosen(page, chatOf(page))).toEqual(expected);
  await expect(badge(page)).toHaveText("1");
});

/** R166: what the badge needs is there from the start, and what is chosen is counted as it can be used. */
test("the badge is right without the popover", async ({ page, profile, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"])]);
  await page.evaluate(() =>
    localStorage.setItem("satchel-last-toolset-selection", '{"zoo": ["feed", "gone"], "builtin": ["read_file"], "away": ["x"]}'),
  );
  const asked: string[] = [];
  const other = await profile.context!.newPage();
  other.on("request", (request) => !request.serviceWorker() && asked.push(request.url()));
  await other.goto(`${satchel.origin}/ui/chat`);
  await ready(other);
  await expect(badge(other)).toHaveText("2");
  expect(asked.filter((url) => url.includes("/chunk-wrench"))).toEqual([]);
  await other.evaluate(() => fetch("/local/toolsets/zoo/enable", { method: "POST", body: '{"enabled": false}' }));
  await expect(badge(other)).toHaveText("1");
  expect(asked.filter((url) => url.includes("/chunk-wrench"))).toEqual([]);
});

/** R174: what one tab chooses, the other shows, and neither takes back what the other chose. */
test("two tabs see each other's choice", async ({ page, profile, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"]), of("ant", ["dig"])]);
  const chat = await begin(page, "hello");
  const other = await profile.context!.newPage();
  await other.goto(`${satchel.origin}/ui/chat/${chat}`);
  await ready(other);
  await open(page);
  await open(other);
  await box(page, "zoo").click();
  await expect(box(other, "zoo")).toBeChecked();
  await expect(badge(other)).toHaveText("2");
  await box(other, "ant").click();
  await expect(box(page, "ant")).toBeChecked();
  await expect(badge(page)).toHaveText("3");
  expect(await chosen(page, chat)).toEqual({ ant: ["dig"], zoo: ["count", "feed"] });
  // A chat that has not begun follows too.
  await other.goto(`${satchel.origin}/ui/chat`);
  await ready(other);
  await expect(badge(other)).toHaveText("3");
  await box(page, "zoo").click();
  await expect(badge(other)).toHaveText("1");
});

/** R172: every click counts, however fast they come. */
test("fast clicks are all kept", async ({ page, satchel }) => {
  const names = many(12);
  await start(page, satchel, [of("big", names)]);
  const chat = await begin(page, "hello");
  await open(page);
  await page.getByTestId("toolset-expand-big").click();
  await expect(toolBox(page, "big", names[0])).toBeVisible();
  await page.evaluate(() => {
    for (const box of document.querySelectorAll<HTMLInputElement>("[data-testid^=tool-checkbox-big-]")) box.click();
    document.querySelector<HTMLInputElement>("[data-testid=tool-checkbox-big-tool_03]")!.click();
  });
  const expected = names.filter((name) => name !== "tool_03");
  await expect(badge(page)).toHaveText("11");
  await expect.poll(() => chosen(page, chat)).toEqual({ big: expected });
  await page.reload();
  await ready(page);
  await expect(badge(page)).toHaveText("11");
});

const keyed = of("keyed", ["ask"], "secrets: [{name: SERVICE_KEY, description: Key of a service}]");
const served = zip([
  {
    path: "toolset.yaml",
    text: 'manifest_version: "1"\nid: served\nname: Served\nversion: "1.0.0"\nmcp_servers: [{id: remote, url: "https://mcp.example.com/mcp"}]\n',
  },
]);

/** R167, R176 */
test("a toolset that cannot be used says why, and is not sent", async ({ page, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"]), keyed, served]);
  const chat = await begin(page, "hello");
  await open(page);
  await box(page, "zoo").click();
  await expect(badge(page)).toHaveText("2");
  for (const [id, reason] of [
    ["keyed", "API key not configured"],
    ["served", "Configure in Toolsets settings"],
  ] as const) {
    await expect(box(page, id)).toBeDisabled();
    await expect(box(page, id)).toHaveAttribute("title", reason);
    await expect(row(page, id)).toHaveAttribute("title", reason);
    await expect(row(page, id)).toContainText(reason);
  }

  // Switched off while it is chosen: it stays chosen, is not counted, and says that it is not sent.
  await page.evaluate(() => fetch("/local/toolsets/zoo/enable", { method: "POST", body: '{"enabled": false}' }));
  await expect(box(page, "zoo")).toBeDisabled();
  await expect(box(page, "zoo")).toHaveAttribute("title", "Disabled in settings");
  await expect(row(page, "zoo")).toContainText("(0/2)");
  await expect(row(page, "zoo")).toContainText("2 chosen tools are not sent");
  await expect(popover(page)).toContainText("2 more are chosen but cannot be used, so they are not sent");
  await expect(badge(page)).toHaveCount(0);
  expect(await chosen(page, chat)).toEqual({ zoo: ["count", "feed"] });
  await page.getByTestId("toolset-expand-zoo").click();
  await toolBox(page, "zoo", "feed").uncheck();
  await expect(toolBox(page, "zoo", "feed")).toBeDisabled();
  await page.evaluate(() => fetch("/local/toolsets/zoo/enable", { method: "POST", body: '{"enabled": true}' }));
  await expect(row(page, "zoo")).toContainText("(1/2)");
  await expect(badge(page)).toHaveText("1");
});

/** R312 */
test("tokens are told of each tool, each toolset and the selection before anything is sent", async ({ page, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"])]);
  await open(page);
  const tokens = async (testId: string) => Number((await page.getByTestId(testId).textContent())!.match(/(\d+) tokens/)![1]);
  await page.getByTestId("toolset-expand-zoo").click();
  const [feed, count, all] = [await tokens("tool-row-zoo-feed"), await tokens("tool-row-zoo-count"), await tokens("toolset-row-zoo")];
  expect(feed).toBeGreaterThan(5);
  expect(all).toBe(feed + count);
  await toolBox(page, "zoo", "feed").check();
  await expect(row(page, "zoo")).toContainText(`${feed} of ${all} tokens`);
  await expect(popover(page)).toContainText(`1 tool, about ${feed} tokens in every request.`);
  await toolBox(page, "zoo", "count").check();
  await expect(popover(page)).toContainText(`2 tools, about ${all} tokens in every request.`);
  await expect(trigger(page)).toHaveAttribute("title", `Choose tools: 2 chosen, about ${all} tokens`);
  await page.reload();
  await ready(page);
  await expect(trigger(page)).toHaveAttribute("title", `Choose tools: 2 chosen, about ${all} tokens`);
});

/** R314: all of it by keys, and the focus comes back. */
test("the popover is walked by keys", async ({ page, satchel }) => {
  await start(page, satchel, [of("zoo", ["feed", "count"]), keyed]);
  await trigger(page).focus();
  await page.keyboard.press("Enter");
  await expect(popover(page)).toBeFocused();
  await expect(row(page, "zoo")).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(box(page, "builtin")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  // Its box cannot be ticked, what opens it can be pressed.
  await expect(page.getByTestId("toolset-expand-builtin-exa-web-search")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("toolset-expand-keyed")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(box(page, "zoo")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await expect(toolBox(page, "zoo", "feed")).toBeFocused();
  await page.keyboard.press("Space");
  await expect(toolBox(page, "zoo", "feed")).toBeChecked();
  await expect(toolBox(page, "zoo", "feed")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(box(page, "zoo")).toBeFocused();
  await expect(toolBox(page, "zoo", "feed")).toHaveCount(0);
  await expect(box(page, "zoo")).toBeChecked({ indeterminate: true });
  await page.keyboard.press("Escape");
  await expect(popover(page)).toHaveCount(0);
  await expect(trigger(page)).toBeFocused();
  // A press elsewhere closes it too, and leaves the focus where it goes.
  await open(page);
  await page.getByTestId("chat-input").click();
  await expect(popover(page)).toHaveCount(0);
  await expect(page.getByTestId("chat-input")).toBeFocused();
});

/** R173: trying an example is meant for a model too. */
test("a chat that tries an example has its tools chosen", async ({ page, satchel }) => {
  await start(page, satchel);
  await page.getByTestId("example-try-data-desk").click();
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  const stored = (await chosen(page, chatOf(page))) as Record<string, string[]>;
  expect(Object.keys(stored)).toEqual(["data-desk"]);
  expect(stored["data-desk"].length).toBeGreaterThan(1);
  expect(await last(page)).toBe(null);
});

/** R314 */
for (const width of [390, 1440]) {
  test(`the popover passes axe at ${width} px, light and dark, and a toolset of sixty tools scrolls in it`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 900 });
    await start(page, satchel, [of("big", many(60)), keyed]);
    await open(page);
    await page.getByTestId("toolset-expand-big").click();
    await page.getByTestId("toolset-expand-keyed").click();
    await toolBox(page, "big", "tool_00").check();
    const end = toolBox(page, "big", "tool_59");
    await end.scrollIntoViewIfNeeded();
    await end.check();
    await expect(badge(page)).toHaveText("2");
    // All of it is in the window, and nothing of it is wider than that.
    const place = (await popover(page).boundingBox())!;
    expect(place.x).toBeGreaterThanOrEqual(0);
    expect(place.y).toBeGreaterThanOrEqual(0);
    expect(place.x + place.width).toBeLessThanOrEqual(width);
    expect(place.y + place.height).toBeLessThanOrEqual(900);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectSound(page, "the popover", "all");
  });
}
