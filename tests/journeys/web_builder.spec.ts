// Without a model: a person begins a site, changes it and sees it, all by the tools of web-builder from the palette.
import type { Locator, Page } from "@playwright/test";

import { expect, ready, test } from "./harness";
import { workspace } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 240_000 });

const chatOf = (page: Page) => page.url().split("/").at(-1) ?? "";

/** Calls a tool of the toolset from the palette, says what is asked before it runs, and gives its call. */
async function call(page: Page, tool: string, values: Record<string, string>, agree = async () => {}): Promise<Locator> {
  const before = await page.getByTestId("tool-call-message").count();
  await page.getByTestId("palette-trigger").click();
  await page.getByTestId("palette-input").fill(`web builder ${tool.replaceAll("_", " ")}`);
  await page.getByTestId(`palette-item-web-builder:${tool}`).click();
  for (const [name, value] of Object.entries(values)) await page.getByTestId(`palette-form/${name}`).fill(value);
  await page.getByTestId("palette-run").click();
  await agree();
  await expect(page.getByTestId("tool-call-message")).toHaveCount(before + 1);
  return page.getByTestId("tool-call-message").nth(before);
}

const done = (call: Locator) => expect(call.getByTestId("tool-call-status")).toHaveText("Completed", { timeout: 90_000 });

/** What a preview shows: the frame of the app, and the closed one in it. */
const inside = (call: Locator) => call.getByTestId("renderer-frame").frameLocator("iframe").frameLocator("iframe");

/** R084, R216, C55, C56 */
test("a site is begun, changed and previewed from the palette", async ({ page, satchel }) => {
  await page.goto(`${satchel.origin}/ui/toolsets`);
  await ready(page);
  await page.getByTestId("example-install-web-builder").click();
  await expect(page.getByTestId("example-card-web-builder")).toContainText("Installed");
  await page.getByRole("link", { name: "Chat", exact: true }).first().click();

  const begun = await call(page, "new_site", { title: "Tea" });
  await done(begun);
  await expect(inside(begun).locator("h1")).toHaveText("Tea");
  await inside(begun).getByRole("button", { name: "Press me" }).click();
  await expect(inside(begun).getByRole("button")).toHaveText("Pressed once");

  // As tools that build sites write it: names from the top, and a script that waits for the page.
  const built = '<head><link rel="stylesheet" href="/look.css"><script defer src="/assets/main.js"></script></head><body><p id="said"></p></body>';
  await done(await call(page, "write_file", { path: "dist/index.html", content: built }));
  await done(await call(page, "write_file", { path: "dist/assets/main.js", content: 'said.textContent = "the page was there";' }));
  await done(await call(page, "write_file", { path: "dist/look.css", content: '@import "colour.css";' }));
  await done(await call(page, "write_file", { path: "dist/colour.css", content: "p { color: rgb(1, 2, 3) }" }));
  const shown = await call(page, "preview", { page: "dist/index.html" });
  await done(shown);
  await expect(inside(shown).locator("#said")).toHaveText("the page was there");
  await expect(inside(shown).locator("#said")).toHaveCSS("color", "rgb(1, 2, 3)");
  await expect(shown.getByTestId("artifact-errors")).toHaveCount(0);

  const replaced = await call(page, "replace_text", { path: "dist/colour.css", old: "1, 2, 3", new: "4, 5, 6" });
  await done(replaced);
  await expect(replaced.getByTestId("renderer-patch")).toContainText("rgb(4, 5, 6)");
  await expect(replaced.getByTestId("renderer-patch").locator(".patch-count")).toHaveText("+1 −1");
  await expect(replaced.getByTestId("renderer-patch").getByRole("button", { name: "Open in workspace" })).toBeVisible();
  // The page of then is what it was; the page of now is another.
  const again = await call(page, "preview", { page: "dist/index.html" });
  await done(again);
  await expect(inside(again).locator("#said")).toHaveCSS("color", "rgb(4, 5, 6)");
  await shown.scrollIntoViewIfNeeded();
  await expect(inside(shown).locator("#said")).toHaveCSS("color", "rgb(1, 2, 3)");

  // A command is asked about first, and is shown as a terminal shows it.
  const asked = await call(page, "run_command", { command: "cat gone.txt" }, () => page.getByTestId("approval-once").click());
  await done(asked);
  await expect(asked.getByTestId("renderer-terminal")).toContainText("exit 1");
  await expect(asked.getByTestId("renderer-terminal")).toContainText("gone.txt");
  expect((await workspace(page, chatOf(page)))["dist/colour.css"]).toBe("p { color: rgb(4, 5, 6) }");
});
