// Approvals in a conversation: a tool that a model calls asks where its call stands, and nowhere else while that can be seen.
import type { Page } from "@playwright/test";

import { connected, expect, ready } from "./harness";
import { call, say, test } from "./scripted_model";
import { calls, install, toolset } from "./toolset";

test.describe.configure({ timeout: 180_000 });

const SOURCE = "def wipe(workspace, what='all'):\n    return {'wiped': what}\n";
const CAREFUL = toolset("careful", [{ name: "wipe", source: SOURCE, more: "    requires_confirmation: true" }]);

const card = (page: Page) => page.getByTestId("tool-call-message");
const chatOf = (page: Page) => page.url().split("/").at(-1) ?? "";

/** Opens a chat in which the model calls the tool that asks. */
async function asked(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await connected(page);
  await install(page, CAREFUL);
  await page.evaluate(() => localStorage.setItem("satchel-last-toolset-selection", JSON.stringify({ careful: ["wipe"] })));
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
  await page.getByTestId("chat-input").fill("Wipe it.");
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("approval-request")).toBeVisible();
}

const script = (asked: { tools?: { function: { name: string } }[] }, turn: number) =>
  turn === 0 ? call([asked.tools?.[0]?.function.name ?? "none", { what: "everything" }]) : say("So be it.");

/** R197, R307, C26 */
test("a tool that a model calls asks within its call, and runs with what the user has changed", async ({ page, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  await expect(card(page).getByTestId("approval-request")).toContainText("careful:wipe");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Calling...");
  expect(await calls(page, chatOf(page))).toMatchObject([{ status: "pending", args: { what: "everything" } }]);
  // Who writes meanwhile is not disturbed.
  await page.getByTestId("chat-input").fill("While it waits");
  await expect(page.getByTestId("chat-input")).toBeFocused();

  await card(page).getByTestId("approval-arguments").fill('{"what": "a little"}');
  await card(page).getByTestId("approval-once").click();
  await expect(page.getByTestId("approval-request")).toBeHidden();
  await expect(page.getByTestId("message-assistant").last()).toContainText("So be it.");
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Completed");
  const rows = await calls(page, chatOf(page));
  expect(rows).toMatchObject([{ status: "success", args: { what: "a little" } }]);
});

/** R197, C26 */
test("a denial is told to the model, and away from the chat the question is a dialog", async ({ page, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  await page.getByRole("link", { name: "Settings" }).first().click();
  await expect(page.getByRole("dialog").getByTestId("approval-request")).toContainText("careful:wipe");
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await card(page).getByTestId("approval-reason").fill("not today");
  await card(page).getByTestId("approval-deny").click();
  await expect(page.getByTestId("message-assistant").last()).toContainText("So be it.");
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Error");
  expect(await calls(page, chatOf(page))).toMatchObject([{ status: "error", error_kind: "denied" }]);
  expect(JSON.stringify(model.asked[1].messages.at(-1))).toContain("not today");
});

/** R194, R309: a turn that was stopped at a question goes on with what became of its calls. */
test("an answer that is stopped while it asks can be continued", async ({ page, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  await page.getByTestId("stop-button").click();
  await expect(page.getByTestId("approval-request")).toHaveCount(0);
  await expect(card(page).getByTestId("tool-call-status")).toHaveText("Error");
  expect(await calls(page, chatOf(page))).toMatchObject([{ status: "error", error_kind: "cancelled" }]);
  await expect(page.getByTestId("answer-again")).toHaveText("Continue");
  await page.getByTestId("answer-again").click();
  await expect(page.getByTestId("message-assistant").last()).toContainText("So be it.");
  expect(model.asked[1].messages.at(-1)?.role).toBe("tool");
});

/** R315, C26: the other tab sees that it waits; when the tab that asks is closed, the call is ended and never made. */
test("a question whose tab is closed ends its call", async ({ page, profile, satchel, model }) => {
  model.script = script;
  await asked(page, satchel.address);
  const other = await profile.context!.newPage();
  await other.goto(page.url());
  await ready(other);
  await expect(card(other).getByTestId("tool-call-status")).toHaveText("Calling...");
  await expect(other.getByTestId("approval-request")).toHaveCount(0);
  await page.close();
  await expect(card(other).getByTestId("tool-call-status")).toHaveText("Error");
  expect(await calls(other, chatOf(other))).toMatchObject([{ status: "error", error_kind: "interrupted" }]);
  await expect(other.getByTestId("answer-again")).toHaveText("Continue");
  expect(model.asked).toHaveLength(1);
});
