// A chat becomes a Markdown document: the branch that is looked at, from the chat itself or by a command.
import { readFile } from "node:fs/promises";

import { expect, ready, test } from "./harness";
import { begin, seed } from "./seeded";

/** R321 */
test("a chat is exported to Markdown, with its calls", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  const chat = await begin(page, "How many rows? / now");
  await seed(page, chat, [{ tool_id: "mine:count", args: { path: "a.csv" }, result: { rows: 12 } }]);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("tool-call-message")).toHaveCount(1);
  const saved = async (start: () => Promise<void>) => {
    const waiting = page.waitForEvent("download");
    await start();
    const download = await waiting;
    expect(download.suggestedFilename()).toBe("How many rows_ _ now.md");
    return readFile(await download.path(), "utf8");
  };
  const text = await saved(() => page.getByTestId("chat-export").click());
  expect(text).toContain("# How many rows? / now\n\n## You\n\nHow many rows? / now\n");
  expect(text).toContain('**Called** `mine__count`\n\n```json\n{\n  "path": "a.csv"\n}\n```');
  expect(text).toContain('**Result**\n\n```json\n{\n  "rows": 12\n}\n```');
  // Again, and by a command.
  expect(await saved(() => page.getByTestId("chat-export").click())).toBe(text);
  const byCommand = await saved(async () => {
    await page.keyboard.press("Control+k");
    await page.getByTestId("search-input").fill("export");
    await page.keyboard.press("Enter");
  });
  expect(byCommand).toBe(text);
});
