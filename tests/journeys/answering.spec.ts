// A model answers: what it says, what it calls, and what becomes of it when something goes wrong. The model says what each test wrote down; it is
// asked through the real server.
import type { Page } from "@playwright/test";

import { answers, chatOf, open, send } from "./conversation";
import { connected, expect, ready } from "./harness";
import { call, gate, say, test } from "./scripted_model";
import { calls } from "./toolset";

/** The messages of the chat that is open, as they are stored. */
const stored = (page: Page) =>
  page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).messages, chatOf(page));

/** R185, R195, R312 */
test("an answer streams as Markdown, is stored as it came, and is there again after a reload", async ({ page, satchel, model }) => {
  const middle = gate();
  model.script = () => [
    { reasoning: "Capitals are asked for." },
    { text: "# Paris\n\nIt has **two** banks:\n\n- left\n- ri" },
    { wait: middle.opened },
    { text: "ght\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nprint(1)\n```\n" },
    { usage: { prompt_tokens: 21, completion_tokens: 34 } },
    { finish: "stop" },
  ];
  await open(page, satchel.address);
  await send(page, "What is the capital of France?");
  const coming = page.getByTestId("answer-coming");
  await expect(coming.getByRole("heading", { name: "Paris" })).toBeVisible();
  await expect(coming.locator("strong")).toHaveText("two");
  await expect(page.getByTestId("stop-button")).toBeVisible();
  middle.open();

  const answer = answers(page);
  await expect(answer.getByRole("cell", { name: "2" })).toBeVisible();
  await expect(coming).toBeHidden();
  await expect(answer.locator("li")).toHaveText(["left", "right"]);
  await expect(answer.locator("pre")).toContainText("print(1)");
  await expect(answer).toContainText("21 tokens read, 34 written");
  await answer.getByText("Thoughts").click();
  await expect(answer.getByTestId("answer-reasoning")).toContainText("Capitals are asked for.");
  await expect(page.getByTestId("send-button")).toBeVisible();

  const asked = model.asked[0];
  expect(asked.stream).toBe(true);
  expect(asked.messages.at(-1)).toEqual({ role: "user", content: "What is the capital of France?" });
  expect(asked).not.toHaveProperty("tools");
  expect(asked).not.toHaveProperty("tool_choice");
  const [, told] = await stored(page);
  expect(told).toMatchObject({ role: "assistant", metadata: { model: "scripted", finish: "stop" } });

  await page.reload();
  await ready(page);
  await expect(answers(page).getByRole("heading", { name: "Paris" })).toBeVisible();
  await expect(answers(page).locator("li")).toHaveText(["left", "right"]);
});

/** R194 */
test("stop keeps what came, leaves the provider at once, and the chat goes on", async ({ page, satchel, model }) => {
  model.script = (_, turn) => (turn === 0 ? [{ text: "One, two" }, { wait: new Promise(() => {}) }] : say("Three."));
  await open(page, satchel.address);
  await send(page, "Count.");
  await expect(page.getByTestId("answer-coming")).toContainText("One, two");
  await page.getByTestId("stop-button").click();
  await expect(answers(page)).toContainText(["One, two"]);
  await expect(answers(page)).toContainText(["You stopped this answer."]);
  await expect.poll(() => model.left).toBe(1);
  await send(page, "Go on.");
  await expect(answers(page).nth(1)).toContainText("Three.");
  expect(model.asked[1].messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
});

test("a provider that refuses is quoted, nothing is lost, and it can be tried again", async ({ page, satchel, model }) => {
  model.script = (_, turn) =>
    turn === 0 ? [{ status: 429, body: { error: { message: "Too many questions today." } } }] : say("Now it works.");
  await open(page, satchel.address);
  await send(page, "Hello?");
  await expect(page.getByTestId("answer-note")).toContainText("Too many questions today.");
  await expect(page.getByTestId("answer-again")).toHaveText("Answer");
  await expect(page.getByTestId("message-user")).toContainText(["Hello?"]);
  await page.getByTestId("answer-again").click();
  await expect(answers(page)).toContainText(["Now it works."]);
  await expect(page.getByTestId("answer-note")).toBeHidden();
});

test("an answer that breaks off is kept as far as it came, and said to be broken", async ({ page, satchel, model }) => {
  const seen = gate();
  model.script = () => [{ text: "Half of" }, { wait: seen.opened }, { cut: true }];
  await open(page, satchel.address);
  await send(page, "Tell me all.");
  await expect(page.getByTestId("answer-coming")).toContainText("Half of");
  seen.open();
  await expect(answers(page)).toContainText(["Half of"]);
  await expect(answers(page)).toContainText(["This answer stopped early"]);
  await expect(page.getByTestId("answer-note")).toBeVisible();
});

/** R190, R198, R200–R205 */
test("a tool that the model calls runs inside the conversation, and the model is told what came of it", async ({ page, satchel, model }) => {
  model.script = (asked, turn) => {
    if (turn > 0) return say("It is written.");
    const write = asked.tools?.find((tool) => tool.function.name.includes("write_file"));
    return call([write?.function.name ?? "none", { path: "notes/hello.txt", content: "hi" }]);
  };
  await page.goto(satchel.address);
  await connected(page);
  await page.evaluate(() =>
    localStorage.setItem("satchel-last-toolset-selection", JSON.stringify({ builtin: ["write_file", "read_file"] })),
  );
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
  await send(page, "Write a note.");
  await expect(answers(page).last()).toContainText("It is written.");
  await expect(page.getByTestId("tool-call-status")).toHaveText("Completed");
  await expect(page.getByTestId("workspace-file-notes/hello.txt")).toBeVisible();

  expect(model.asked).toHaveLength(2);
  const roles = model.asked[1].messages.map((message) => message.role);
  expect(roles).toEqual(["user", "assistant", "tool"]);
  expect(await calls(page, chatOf(page))).toMatchObject([{ status: "success" }]);
});

/** R321: another answer is a branch, and the arrows lead between them. */
test("an answer can be had again, and both are kept as branches", async ({ page, satchel, model }) => {
  model.script = (_, turn) => say(turn === 0 ? "First answer." : "Second answer.");
  await open(page, satchel.address);
  await send(page, "Say something.");
  await expect(answers(page)).toContainText(["First answer."]);
  await answers(page).getByTestId("message-retry").click();
  await expect(answers(page)).toContainText(["Second answer."]);
  await expect(page.getByTestId("branch-count")).toHaveText("2 / 2");
  await page.getByTestId("branch-prev").click();
  await expect(answers(page)).toContainText(["First answer."]);
});

/** R315: what a dead tab has left is kept, and nothing is asked again. */
test("an answer whose tab is closed is kept as far as it came, and seen in the other tab meanwhile", async ({ page, profile, satchel, model }) => {
  model.script = () => [{ text: "Slowly but" }, { wait: new Promise(() => {}) }];
  await open(page, satchel.address);
  await send(page, "Take your time.");
  await expect(page.getByTestId("answer-coming")).toContainText("Slowly but");
  const other = await profile.context!.newPage();
  await other.goto(page.url());
  await ready(other);
  await expect(other.getByTestId("answer-coming")).toContainText("Slowly but");
  await expect(other.getByTestId("stop-button")).toBeHidden();
  await expect(other.getByTestId("answer-elsewhere")).toContainText("another tab");
  await page.close();
  await expect(answers(other)).toContainText("Slowly but");
  await expect(answers(other)).toContainText("The tab was closed before this answer was complete.");
  await expect(other.getByTestId("answer-again")).toHaveText("Continue");
  await expect(other.getByTestId("answer-elsewhere")).toBeHidden();
  expect(model.asked).toHaveLength(1);
});

/** R185: who is at the end sees what comes; who reads further up stays there. */
test("the conversation follows an answer at its end, and leaves who has scrolled up where they are", async ({ page, satchel, model }) => {
  const [half, rest] = [gate(), gate()];
  const lines = (from: number) => Array.from({ length: 60 }, (_, index) => `Line ${from + index}.\n\n`).join("");
  model.script = () => [{ text: lines(0) }, { wait: half.opened }, { text: lines(60) }, { wait: rest.opened }, ...say("The end.")];
  await open(page, satchel.address);
  await send(page, "Tell me much.");
  await expect(page.getByText("Line 59.", { exact: true }).first()).toBeInViewport();
  half.open();
  await expect(page.getByText("Line 119.", { exact: true }).first()).toBeInViewport();
  const scroller = page.locator("#messages");
  await scroller.hover();
  await page.mouse.wheel(0, -2_000);
  await expect(page.getByText("Line 119.", { exact: true }).first()).not.toBeInViewport();
  const before = await scroller.evaluate((element) => element.scrollTop);
  rest.open();
  await expect(page.getByTestId("send-button")).toBeVisible();
  await expect(answers(page)).toContainText(["The end."]);
  expect(Math.abs((await scroller.evaluate((element) => element.scrollTop)) - before)).toBeLessThan(40);
});

/** R314 */
test("an answer is read out to its last word, and the focus stays where it was", async ({ page, satchel, model }) => {
  const middle = gate();
  const parts = [{ text: "It has **two** banks.\n\nThe last" }, { wait: middle.opened }, ...say(" paragraph.")];
  model.script = (_, turn) => (turn === 0 ? say("A river.") : parts);
  await open(page, satchel.address);
  // A new chat is a page of its own, and begins with the focus where one writes.
  await send(page, "What is it?");
  await expect(answers(page)).toContainText(["A river."]);
  await expect(page.getByTestId("send-button")).toBeVisible();
  await page.getByTestId("chat-input").fill("Which?");
  await page.getByTestId("send-button").focus();
  await page.keyboard.press("Enter");
  const aloud = page.getByTestId("answer-read-out");
  await expect(aloud).toHaveAttribute("aria-live", "polite");
  await expect(aloud.locator("p")).toHaveText(["A river.", "It has two banks."]);
  await expect(page.getByTestId("stop-button")).toBeFocused();
  middle.open();
  await expect(aloud.locator("p")).toHaveText(["A river.", "It has two banks.", "The last paragraph."]);
  await expect(page.getByTestId("send-button")).toBeFocused();
});

test("the list of chats and the tab say which chat it is, and that it is being answered", async ({ page, satchel, model }) => {
  const held = gate();
  model.script = () => [{ text: "So" }, { wait: held.opened }, ...say(" it is.")];
  await open(page, satchel.address);
  await send(page, "A question of mine");
  const item = page.getByTestId("chat-list-item").filter({ hasText: "A question of mine" });
  await expect(item.getByTestId("chat-being-answered")).toBeVisible();
  await expect(page).toHaveTitle("A question of mine · Satchel");
  held.open();
  await expect(item.getByTestId("chat-being-answered")).toBeHidden();
});

/** R194 */
test("a chat that is deleted is not answered any further", async ({ page, satchel, model }) => {
  model.script = () => [{ text: "On and on" }, { wait: new Promise(() => {}) }];
  await open(page, satchel.address);
  await send(page, "Talk.");
  await expect(page.getByTestId("answer-coming")).toContainText("On and on");
  await page.getByTestId("chat-delete").click();
  await expect.poll(() => model.left).toBe(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(answers(page)).toContainText(["On and on"]);
});

test("a link in an answer asks before it leads away, and code can be copied", async ({ page, profile, satchel, model }) => {
  await profile.context!.grantPermissions(["clipboard-read", "clipboard-write"]);
  model.script = () => say("See [this](https://elsewhere.example/page).\n\n```sh\nls -l\n```\n");
  await open(page, satchel.address);
  await send(page, "Where?");
  const question = page.waitForEvent("dialog");
  const pressed = answers(page).getByRole("link", { name: "this" }).click();
  const dialog = await question;
  expect(dialog.message()).toContain("https://elsewhere.example/page");
  await dialog.dismiss();
  await pressed;
  expect(profile.context!.pages()).toHaveLength(1);
  // Nor does the middle button lead away without a question.
  const second = page.waitForEvent("dialog");
  const pressedMiddle = answers(page).getByRole("link", { name: "this" }).click({ button: "middle" });
  await (await second).dismiss();
  await pressedMiddle;
  expect(profile.context!.pages()).toHaveLength(1);
  expect(profile.requests.filter((address) => address.includes("elsewhere"))).toEqual([]);
  await answers(page).getByRole("button", { name: "Copy this code" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("ls -l\n");
});

/** R312 */
test("what an answer cost is told of each message and of the chat, at the prices of then", async ({ page, satchel, model }) => {
  // Dollars for a token, as gateways list them.
  const priced = (prompt: string, completion: string) => [{ id: "scripted", object: "model", pricing: { prompt, completion } }];
  model.listed = priced("0.000003", "0.000015");
  model.script = () => [{ text: "Yes." }, { usage: { prompt_tokens: 2_000, completion_tokens: 100 } }, { finish: "stop" }];
  await open(page, satchel.address);
  await send(page, "One?");
  await expect(answers(page).getByTestId("answer-facts")).toHaveText("scripted · 2000 tokens read, 100 written · $0.0075");
  await expect(page.getByTestId("chat-spent")).toHaveText(/^2\.1k tokens, \$0\.0075\s*$/);

  // The price goes up: what was answered before has cost what it cost.
  model.listed = priced("0.00003", "0.00015");
  await page.reload();
  await ready(page);
  await expect(answers(page).getByTestId("answer-facts")).toContainText("$0.0075");
  await page.getByTestId("model-picker").click();
  await expect(page.getByTestId("model-option-server/script/scripted")).toContainText("$30");
  await page.keyboard.press("Escape");
  await answers(page).getByTestId("message-retry").click();
  await expect(answers(page).getByTestId("answer-facts")).toContainText("$0.075");
  // This branch, and both.
  await expect(page.getByTestId("chat-spent")).toHaveText(/^2\.1k tokens, \$0\.07\d* · all branches 4\.2k tokens, \$0\.08/);
});

/** R191, R192 */
test("a chat has its own number of rounds of tool calls", async ({ page, satchel, model }) => {
  model.script = (asked) => {
    const list = asked.tools?.find((tool) => tool.function.name.includes("list_files"));
    return list ? call([list.function.name, {}]) : say("Enough.");
  };
  await page.goto(satchel.address);
  await connected(page);
  await page.evaluate(() => localStorage.setItem("satchel-last-toolset-selection", JSON.stringify({ builtin: ["list_files"] })));
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
  await page.getByTestId("workspace-upload-input").setInputFiles([{ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") }]);
  await expect(page.getByTestId("workspace-file-a.txt")).toBeVisible();
  await page.getByTestId("toolsets-popover-trigger").click();
  const rounds = page.getByTestId("chat-tool-iterations-input");
  await expect(rounds).toHaveValue("");
  await expect(rounds).toHaveAttribute("placeholder", "5");
  await rounds.fill("2");
  await rounds.blur();
  await page.keyboard.press("Escape");
  await send(page, "List.");
  await expect(answers(page).last()).toContainText("Enough.");
  // Two rounds, and the last question without tools.
  expect(model.asked.map((asked) => asked.tools !== undefined)).toEqual([true, true, false]);
});

test("code in an answer has colours once it is whole", async ({ page, satchel, model }) => {
  const middle = gate();
  model.script = () => [
    { text: "```py\ndef one():\n    return 1\n" },
    { wait: middle.opened },
    ...say("```\n\nDone.\n"),
  ];
  await open(page, satchel.address);
  await send(page, "Show me.");
  const coming = page.getByTestId("answer-coming");
  await expect(coming.locator("pre")).toHaveText("def one():\n    return 1\n");
  await expect(coming.locator("pre span")).toHaveCount(0);
  middle.open();
  await expect(answers(page).locator("pre .code-keyword")).toHaveText(["def", "return"]);
  await expect(answers(page).locator("pre")).toHaveText("def one():\n    return 1\n");
});

/** P9: what is drawn stays. */
test("what of a long list, table or code has come is drawn once and stays while more comes", async ({ page, satchel, model }) => {
  const [first, second] = [gate(), gate()];
  model.script = () => [
    { text: "- one\n- two\n- thr" },
    { wait: first.opened },
    { text: "ee\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |" },
    { wait: second.opened },
    ...say(" 4 |\n\n```\nx\ny\n```\n\nEnd."),
  ];
  await open(page, satchel.address);
  await send(page, "Go on and on.");
  const coming = page.getByTestId("answer-coming");
  await expect(coming.locator("li")).toHaveText(["one", "two", "thr"]);
  await coming.locator("li").first().evaluate((item) => item.setAttribute("data-seen", "yes"));
  first.open();
  await expect(coming.locator("li")).toHaveText(["one", "two", "three"]);
  await expect(coming.locator("li").first()).toHaveAttribute("data-seen", "yes");
  await expect(coming.locator("td").first()).toHaveText("1");
  await coming.locator("td").first().evaluate((cell) => cell.setAttribute("data-seen", "yes"));
  await expect(coming.locator("ul")).toHaveCount(1);
  second.open();
  await expect(answers(page)).toContainText(["End."]);
  await expect(answers(page).locator("td")).toHaveText(["1", "2", "3", "4"]);
  await expect(answers(page).locator("pre")).toHaveText("x\ny\n");
});
