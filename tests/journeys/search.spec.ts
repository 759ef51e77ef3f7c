// Ctrl-K finds anything: chats, messages on every branch, files, tools and commands, and leads to the place.

import type { Page } from "@playwright/test";

import { expectSound } from "./axe";
import { expect, kept, ready, test } from "./harness";

const input = (page: Page) => page.getByTestId("search-input");
const results = (page: Page) => page.getByTestId("search-result");
const section = (page: Page, name: string) => page.getByRole("listbox").getByRole("group", { name });

async function open(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(input(page)).toBeFocused();
}

/** Types, and waits until the answer is that to what was typed. */
async function find(page: Page, words: string): Promise<void> {
  await input(page).fill(words);
  await expect(page.locator("#search-list")).toHaveAttribute("aria-busy", "false");
  await expect(page.getByTestId("search-note")).toHaveText(/result|Nothing found/);
}

async function say(page: Page, words: string): Promise<void> {
  const before = await page.getByTestId("message-user").count();
  await page.getByTestId("chat-input").fill(words);
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toHaveCount(before + 1);
}

/** Begins a chat with two branches: the one with the word "okapi" is not the one that is shown. */
async function twoBranches(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/ui/chat`);
  await ready(page);
  await say(page, "Which animals are there?");
  await say(page, `The Okapi is one.\n${"A line about it.\n".repeat(30)}`);
  for (let at = 0; at < 3; at += 1) await say(page, `More of them ${at}\n${"A line.\n".repeat(30)}`);
  await page.getByTestId("message-edit").nth(1).click();
  await page.getByTestId("message-edit-text").fill("The zebra is one.");
  await page.getByTestId("message-edit-save").click();
  await expect(page.getByTestId("message-user")).toHaveCount(2);
}

/** R313 */
test("a message on another branch is found, and shown where it is", async ({ page, satchel }) => {
  await twoBranches(page, satchel.origin);
  await page.getByTestId("new-chat").first().click();
  await expect(page.getByTestId("message-user")).toHaveCount(0);
  await open(page);
  await find(page, "okapí");
  await expect(results(page)).toHaveCount(1);
  await expect(section(page, "Messages").locator("mark")).toHaveText("Okapi");
  await expect(section(page, "Messages")).toContainText("Which animals are there?");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("search")).toHaveCount(0);
  const found = page.locator("[data-found]");
  await expect(found).toContainText("The Okapi is one.");
  await expect(found.getByText("The Okapi is one.")).toBeInViewport();
  await expect(found).toBeFocused();
  await expect(page.getByTestId("message-user")).toHaveCount(5);
  await expect(page.getByTestId("branch-count")).toHaveText("1 / 2");

  // What is on the branch that is shown is shown without switching.
  await open(page);
  await find(page, "more of them 2");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-found]")).toContainText("More of them 2");
  await open(page);
  await find(page, "zebra");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-found]")).toContainText("The zebra is one.");
  await expect(page.getByTestId("branch-count")).toHaveText("2 / 2");
});

/** R313 */
test("files are found by name and by what is in them, and opened in their chat", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await say(page, "Some files");
  const upload = (name: string, content: string) =>
    page.getByTestId("workspace-upload-input").setInputFiles([{ name, mimeType: "text/plain", buffer: Buffer.from(content) }]);
  await upload("recipe.md", "# Soup\n\nTake two aubergines and salt.\n");
  await expect(page.getByTestId("workspace-file-recipe.md")).toBeVisible();
  // On another branch, the same file says something else.
  await page.getByTestId("message-edit").first().click();
  await page.getByTestId("message-edit-text").fill("Some files, elsewhere");
  await page.getByTestId("message-edit-save").click();
  await expect(page.getByTestId("branch-count")).toHaveText("2 / 2");
  await upload("other.txt", "nothing but courgettes");
  await expect(page.getByTestId("workspace-file-other.txt")).toBeVisible();
  await page.getByTestId("new-chat").first().click();

  await open(page);
  await find(page, "other");
  await expect(section(page, "Files").locator("mark")).toHaveText("other");
  await find(page, "aubergine");
  await expect(section(page, "Files")).toContainText("Take two aubergines and salt.");
  await section(page, "Files").getByRole("option").click();
  await expect(page.getByTestId("code-view").locator(".cm-content")).toContainText("Take two aubergines");
  await expect(page.getByTestId("branch-count")).toHaveText("1 / 2");

  // From inside the editor, too.
  await page.getByTestId("code-view").locator(".cm-content").click();
  await open(page);
  await find(page, "courgettes");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("code-view").locator(".cm-content")).toContainText("nothing but courgettes");
  await expect(page.getByTestId("branch-count")).toHaveText("2 / 2");
});

/** R313, R314 */
test("everything in the box is done by keys, and the focus goes back", async ({ page, satchel }) => {
  await twoBranches(page, satchel.origin);
  await page.getByTestId("chat-input").focus();
  await page.keyboard.press("Control+k");
  await expect(input(page)).toBeFocused();
  await expect(section(page, "Recent chats").getByRole("option")).toHaveText(/Which animals are there/);
  await expect(section(page, "Commands").getByRole("option").first()).toHaveText(/New chat/);
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("search")).toHaveCount(0);
  await expect(page.getByTestId("chat-input")).toBeFocused();

  // The arrows go round, and the field says which row is meant.
  await open(page);
  const active = () => input(page).getAttribute("aria-activedescendant");
  expect(await active()).toBe("search-row-0");
  await page.keyboard.press("ArrowUp");
  const last = Number((await active())?.split("-").at(-1));
  expect(last).toBeGreaterThan(5);
  await expect(page.locator(`#search-row-${last}`)).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(`#search-row-${last}`)).toBeInViewport();
  await page.keyboard.press("ArrowDown");
  expect(await active()).toBe("search-row-0");

  // A tool, and its details.
  await page.keyboard.type("search text");
  await expect(section(page, "Tools").getByRole("option").first()).toContainText("Built-in tools");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/ui\/tools\/search_text$/);

  // A command.
  await open(page);
  await page.keyboard.type("dark");
  await expect(section(page, "Commands").getByRole("option")).toHaveText(/Use the dark theme/);
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await open(page);
  await page.keyboard.type("new c");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/ui\/chat$/);
  await expect(page.getByTestId("chat-input")).toBeFocused();

  // Nothing is found, and that is said. The keys that opened it close it.
  await open(page);
  await find(page, "qqqq");
  await expect(page.getByTestId("search-note")).toContainText("Nothing found");
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("search")).toHaveCount(0);
});

/** R313: there is more than fits, and a way to it. */
test("what is found often is shown in part, and on request whole", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  for (let at = 0; at < 12; at += 1) await say(page, `the quagga number ${at}`);
  await page.getByTestId("search-open").click();
  await find(page, "quagga");
  await expect(section(page, "Messages").getByTestId("search-result")).toHaveCount(8);
  await expect(section(page, "Messages").getByTestId("search-result").first()).toContainText("number 11");
  await section(page, "Messages").getByTestId("search-more").click();
  await expect(section(page, "Messages").getByTestId("search-result")).toHaveCount(12);
  // A click beside the box closes it.
  await page.mouse.click(5, 5);
  await expect(page.getByTestId("search")).toHaveCount(0);
});

/** R313, R315: what another tab says is found at once, with the box open. */
test("the search follows another tab", async ({ page, profile, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await say(page, "first quagga");
  const other = await profile.context!.newPage();
  await other.goto(satchel.origin);
  await ready(other);
  await open(other);
  await find(other, "quagga");
  await expect(section(other, "Messages").getByRole("option")).toHaveCount(1);
  await say(page, "second quagga");
  await expect(section(other, "Messages").getByRole("option")).toHaveCount(2);
  await page.getByTestId("chat-delete").click();
  await expect(other.getByTestId("search-note")).toContainText("Nothing found");
});

/** R313, R300 */
test("with no server and a cold browser, everything is still found", async ({ page, profile, satchel }) => {
  await twoBranches(page, satchel.origin);
  await kept(page);
  await profile.close();
  await satchel.stop();
  const cold = await profile.open();
  await cold.goto(satchel.origin);
  await ready(cold);
  await open(cold);
  await find(cold, "okapi");
  await cold.keyboard.press("Enter");
  await expect(cold.locator("[data-found]")).toContainText("The Okapi is one.");
});

/** I4: what was written as HTML is found as text. */
test("what is found is text, whatever it says", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await say(page, "<img src=x onerror=\"document.title='gotcha'\"> quagga");
  await open(page);
  await find(page, "quagga");
  await expect(section(page, "Messages")).toContainText("<img src=x onerror=");
  await expect(page.locator("dialog img")).toHaveCount(0);
});

for (const width of [390, 1440]) {
  test(`the box passes axe at ${width} px, light and dark`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(satchel.origin);
    await ready(page);
    await say(page, "a quagga of the search");
    await open(page);
    for (const words of ["", "quagga", "search", "qqqq"]) {
      if (words) await find(page, words);
      await expectSound(page, words || "nothing typed", "all");
    }
    if (width === 390) {
      const box = await page.getByTestId("search").boundingBox();
      expect(box).toMatchObject({ x: 0, y: 0, width: 390, height: 800 });
    }
  });
}
