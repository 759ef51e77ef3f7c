// How answers come to their end, and what can be done then: gone on from, answered after all, left out of what is sent, asked of another model. What
// is offered is read from what is stored, so that a reload offers the same.
import type { Locator, Page } from "@playwright/test";

import { connected, expect, ready } from "./harness";
import { keptText } from "./kept_text";
import { call, gate, say, test } from "./scripted_model";

const answers = (page: Page) => page.getByTestId("message-assistant");
const never = () => ({ wait: new Promise(() => {}) });

async function open(page: Page, address: string, picked = "scripted"): Promise<void> {
  await page.goto(address);
  await connected(page);
  await expect(page.getByTestId("model-picker")).toContainText(picked);
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByTestId("chat-input").fill(text);
  await page.getByTestId("send-button").click();
}

/** R309, R194: stopped, failed in the middle, cut by its length: each can be continued, and in each case after a reload too. */
test("an answer that is not whole can be continued, also after a reload", async ({ page, satchel, model }) => {
  const script = [
    () => [{ text: "One, two" }, never()],
    () => [{ text: ", three" }, { finish: "length" }],
    // It breaks off once what it said was seen: before that there would be no answer to keep.
    () => [{ text: ", four" }, () => expect(page.getByTestId("answer-coming")).toContainText(", four"), { cut: true as const }],
    () => say(", five."),
  ];
  model.script = (_, turn) => script[turn]();
  await open(page, satchel.address);
  await send(page, "Count.");
  await expect(page.getByTestId("answer-coming")).toContainText("One, two");
  await expect(page.getByTestId("answer-again")).toBeHidden();
  await page.getByTestId("stop-button").click();
  await expect(page.getByTestId("answer-again")).toHaveText("Continue");
  await page.reload();
  await ready(page);
  await expect(answers(page)).toHaveCount(1);
  for (const [count, part] of [[2, ", three"], [3, ", four"], [4, ", five."]] as const) {
    await expect(page.getByTestId("answer-again")).toHaveText("Continue");
    await page.getByTestId("answer-again").click();
    await expect(answers(page)).toHaveCount(count);
    await expect(answers(page).last()).toContainText(part);
  }
  await expect(page.getByTestId("send-button")).toBeVisible();
  await expect(page.getByTestId("answer-again")).toBeHidden();
  // The parts are sent as one answer, and what goes on is asked for in words: so every provider takes it.
  expect(model.asked.map((asked) => asked.messages.length)).toEqual([1, 3, 3, 3]);
});

/** R309 */
test("a message whose answer failed before its first word can be answered after a reload", async ({ page, satchel, model }) => {
  model.script = (_, turn) => (turn === 0 ? [{ status: 500, body: { error: { message: "Out of order." } } }] : say("Here I am."));
  await open(page, satchel.address);
  await send(page, "Anybody?");
  await expect(page.getByTestId("answer-note")).toContainText("Out of order.");
  await expect(page.getByTestId("answer-again")).toHaveText("Answer");
  await page.reload();
  await ready(page);
  await page.getByTestId("answer-again").click();
  await expect(answers(page)).toContainText(["Here I am."]);
  await expect(page.getByTestId("answer-again")).toBeHidden();
});

/** R200: while its tools run, and while the next answer comes, what asked for them is the message it is, and stands once. */
test("what a model says before it calls a tool stands once", async ({ page, satchel, model }) => {
  const held = gate();
  model.script = (asked, turn) => {
    const write = asked.tools?.find((tool) => tool.function.name.includes("write_file"))?.function.name ?? "none";
    return turn === 0
      ? [{ text: "I write." }, ...call([write, { path: "a.txt", content: "a" }])]
      : [{ text: "Now" }, { wait: held.opened }, ...say(" it is written.")];
  };
  await page.goto(satchel.address);
  await connected(page);
  await page.evaluate(() => localStorage.setItem("satchel-last-toolset-selection", JSON.stringify({ builtin: ["write_file"] })));
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
  await send(page, "Write.");
  await expect(page.getByTestId("answer-coming")).toContainText("Now");
  await expect(page.locator("#messages").getByText("I write.", { exact: true })).toHaveCount(1);
  const said = (words: string) => page.locator("#messages").getByText(words);
  const coming = await place(said("Now"));
  held.open();
  await expect(answers(page).last()).toContainText("Now it is written.");
  await expect(page.getByTestId("tool-call-status")).toHaveText("Completed");

  // Its rounds are one answer: who speaks is said once, and the next round stands where it came.
  const speakers = page.locator(".message-speaker").filter({ hasText: "Assistant" });
  const widths = await speakers.evaluateAll((said) => said.map((one) => one.getBoundingClientRect().width));
  expect(widths.map((width) => width > 1)).toEqual([true, false]);
  expect(await place(said("Now it is written."))).toEqual(coming);
  // What can be done with a round is there for who comes to it by keyboard.
  const first = answers(page).first();
  await expect(first.locator(".message-actions")).toHaveCSS("opacity", "0");
  await first.getByTestId("message-fork").focus();
  await expect(first.locator(".message-actions")).toHaveCSS("opacity", "1");
});

/** Where something stands in its conversation, however far that is scrolled, and how wide it is, in whole pixels. */
function place(shown: Locator): Promise<number[]> {
  return shown.evaluate((one) => {
    const [own, list] = [one, document.querySelector(".messages") ?? document.body].map((box) => box.getBoundingClientRect());
    return [own.left - list.left, own.top - list.top, own.width].map(Math.round);
  });
}

/** C42: what an answer that was cut asks for is not done. */
test("the calls of an answer that was cut are not made", async ({ page, satchel, model }) => {
  model.script = (asked) => {
    const write = asked.tools?.find((tool) => tool.function.name.includes("write_file"))?.function.name ?? "none";
    return [{ call: { index: 0, id: "call_0", name: write, arguments: '{"path": "a.txt", "content": ""}' } }, { finish: "length" }];
  };
  await page.goto(satchel.address);
  await connected(page);
  await page.evaluate(() => localStorage.setItem("satchel-last-toolset-selection", JSON.stringify({ builtin: ["write_file"] })));
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
  await send(page, "Write.");
  await expect(page.getByTestId("tool-call-status")).toHaveText("Error");
  await expect(page.getByTestId("message-assistant")).toContainText(["was cut off, so this call was not made"]);
  await expect(page.getByTestId("answer-again")).toHaveText("Continue");
  await expect(page.getByTestId("workspace-file-a.txt")).toBeHidden();
  expect(model.asked).toHaveLength(1);
});

/** R320 */
test("what did not fit into the model is marked in the page", async ({ page, satchel, model }) => {
  model.listed = [{ id: "scripted", object: "model", context_length: 700 }];
  const long = "word ".repeat(700);
  model.script = () => say(long);
  await open(page, satchel.address);
  for (const [count, words] of [[1, "First."], [2, "Second."], [3, "Third."]] as const) {
    await send(page, words);
    await expect(answers(page)).toHaveCount(count);
    await expect(page.getByTestId("send-button")).toBeVisible();
  }
  await expect(answers(page).last().getByTestId("answer-left-out")).toContainText("not sent for this answer");
  const sent = JSON.stringify(model.asked.at(-1)?.messages);
  expect(sent).not.toContain("Second.");
  await expect(page.getByTestId("message-user").nth(1).getByTestId("message-unsent")).toBeVisible();
  await expect(page.getByTestId("message-user").last().getByTestId("message-unsent")).toBeHidden();
});

/** R321 */
test("the model can be changed within a chat, and the next answer is the other one's", async ({ page, satchel, model }) => {
  model.listed = [{ id: "scripted", object: "model" }, { id: "other", object: "model" }];
  model.script = (asked) => say(`I am ${asked.model}.`);
  await open(page, satchel.address);
  await send(page, "Who are you?");
  await expect(answers(page)).toContainText(["I am scripted."]);
  await page.getByTestId("model-picker").click();
  await page.getByTestId("model-option-server/script/other").click();
  await expect(page.getByTestId("model-picker")).toContainText("other");
  await send(page, "And now?");
  await expect(answers(page).last()).toContainText("I am other.");
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("other");
  expect(model.asked.map((asked) => asked.model)).toEqual(["scripted", "other"]);
});

/** R324, R309: what could not be kept stands in the composer again. */
test("a message that could not be kept is not lost", async ({ page, satchel, model }) => {
  model.script = () => say("Hello.");
  await open(page, satchel.address);
  await send(page, "First.");
  await expect(answers(page)).toContainText(["Hello."]);
  const long = `Too long. ${"x".repeat(1_100_000)}`;
  await page.getByTestId("chat-input").fill(long);
  await page.getByTestId("send-button").click();
  await expect(page.getByRole("alert").filter({ hasText: "The message was not saved" })).toBeVisible();
  await expect(page.getByTestId("chat-input")).toHaveValue(long);
  await expect(page.getByTestId("message-user")).toHaveCount(1);
  await page.getByTestId("chat-input").fill("A draft that stays.");
  // One save goes after the other, and that of the long message takes its time.
  await expect.poll(() => keptText(page)).toContain("A draft that stays.");
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("chat-input")).toHaveValue("A draft that stays.");
});

/** R309: what comes stands only below what it answers, and takes nobody there who went elsewhere. */
test("an answer that comes is not shown on another branch, and does not take its reader there", async ({ page, satchel, model }) => {
  const held = gate();
  model.script = (_, turn) => (turn < 2 ? say(`Answer ${turn}.`) : [{ text: "Slowly" }, { wait: held.opened }, ...say(" done.")]);
  await open(page, satchel.address);
  await send(page, "Question A");
  await expect(answers(page)).toContainText(["Answer 0."]);
  await page.getByTestId("message-edit").click();
  await page.getByTestId("message-edit-text").fill("Question B");
  await page.getByTestId("message-edit-save").click();
  await expect(answers(page)).toContainText(["Answer 1."]);
  await send(page, "More of B");
  await expect(page.getByTestId("answer-coming")).toContainText("Slowly");

  await page.getByTestId("branch-prev").click();
  await expect(page.getByTestId("message-user")).toContainText(["Question A"]);
  await expect(page.getByTestId("answer-coming")).toBeHidden();
  // Nothing is asked while an answer comes, and what was typed stays.
  await page.getByTestId("message-edit").click();
  await page.getByTestId("message-edit-text").fill("Question C");
  await page.getByTestId("message-edit-save").click();
  await expect(page.getByText("The answer is still coming.")).toBeVisible();
  await expect(page.getByTestId("message-edit-text")).toHaveValue("Question C");
  held.open();
  await expect(page.getByTestId("send-button")).toBeVisible();
  await expect(answers(page)).toContainText(["Answer 0."]);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByTestId("branch-next").click();
  await expect(answers(page).last()).toContainText("Slowly done.");
  expect(model.asked).toHaveLength(3);
});
