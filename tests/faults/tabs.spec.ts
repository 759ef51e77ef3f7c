// F11: two tabs send, branch and run tools in one chat, one after the other and at the same moment, and the one whose run it is is killed: in the middle of
// an answer, in the middle of a call.
import type { Page } from "@playwright/test";

import { answered, chatOf, offer, open, send } from "../journeys/conversation";
import { expect, ready, type Profile, type Satchel } from "../journeys/harness";
import { call, say, test, type Asked, type Script } from "../journeys/scripted_model";
import { calls, execute, install, toolset, workspace } from "../journeys/toolset";
import { ask, expectClean, report, sha256 } from "./ground";

const TIMES = Number(process.env.SATCHEL_FAULT_TIMES ?? 20);
/** How often both tabs do something at the same moment. */
const TOGETHER = 8;
/** How long the other tab may take. */
const TAKEN_OVER_WITHIN = 2_000;

const NOTE = `
    with (workspace / "log.txt").open("a") as log:
        log.write(label + "\\n")
`;
const TOOLS = [
  { name: "note", source: `def note(workspace, label):${NOTE}    return {"noted": label}\n` },
  { name: "beside", source: 'def beside(workspace):\n    return {"beside": True}\n' },
  { name: "hang", source: `import time\n\ndef hang(workspace, label):${NOTE}    while True:\n        time.sleep(1)\n` },
];

type Stored = { id: string; parent_id: string | null; role: string; content: string; metadata: { ended?: string } };
const messages = (page: Page, chat: string): Promise<Stored[]> =>
  page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).messages, chat);

/** Waits in a tab until what another left of an answer or a call is marked as interrupted; how long that took. */
const takenOver = (page: Page, chat: string, what: "answer" | "call", killed: number): Promise<number> =>
  page.evaluate(
    async ([chat, what, killed]) => {
      for (;;) {
        const { messages, tool_calls } = await (await fetch(`/local/chats/${chat}`)).json();
        const ended = what === "call" ? tool_calls.at(-1)?.error_kind : messages.at(-1)?.metadata?.ended;
        const took = Date.now() - killed;
        if (ended === "interrupted" || took > 30_000) return took;
      }
    },
    [chat, what, killed] as const,
  );

/** Every call that a model is reminded of has its result right behind it. */
function expectValid({ messages }: Asked): void {
  messages.forEach((message, at) => {
    const results = messages.slice(at + 1, at + 1 + (message.tool_calls?.length ?? 0));
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual((message.tool_calls ?? []).map(({ id }) => id));
  });
}

/** Has the last message of a tab written anew, up to the click that sends it. */
async function edit(page: Page, words: string): Promise<() => Promise<void>> {
  const message = page.getByTestId("message-user").last();
  await message.hover();
  await message.getByTestId("message-edit").click();
  await page.getByTestId("message-edit-text").fill(words);
  return () => page.getByTestId("message-edit-save").click();
}

/** Has something written, up to the click that sends it. */
async function write(page: Page, words: string): Promise<() => Promise<void>> {
  await page.getByTestId("chat-input").fill(words);
  return () => page.getByTestId("send-button").click();
}

/** A message as the model is asked it: one that was sent before another tab's was answered stands right below that one, and both are asked as one. */
function asOneQuestion(stored: Stored[], { parent_id, content }: Stored): string {
  const above = stored.find(({ id }) => id === parent_id);
  return above?.role === "user" ? `${asOneQuestion(stored, above)}\n\n${content}` : content;
}

/** The lines that were left on the way to an answer: one for every question. */
function linesBefore(stored: Stored[], id: string | null, below?: Stored): string {
  const message = stored.find((one) => one.id === id);
  if (!message) return "";
  const before = linesBefore(stored, message.parent_id, message);
  return message.role === "user" && below?.role !== "user" ? `${before}${asOneQuestion(stored, message)}\n` : before;
}

/** Both tabs send at the same moment, or one branches while the other sends, and a script calls a tool: all of it is there once, with its files. */
async function together(one: Page, other: Page, chat: string): Promise<string[]> {
  const said: string[] = [];
  for (let round = 0; round < TOGETHER; round += 1) {
    const words = [`One ${round}`, `Other ${round}`];
    said.push(...words);
    const isBranch = round % 2 === 1;
    const clicks = await Promise.all([isBranch ? edit(one, words[0]) : write(one, words[0]), write(other, words[1])]);
    // Beside the answers a script's call runs, in the same chat.
    const [called] = await Promise.all([execute(one, "noting", "beside", { chat_id: chat }), ...clicks.map((click) => click())]);
    expect(called.result).toEqual({ beside: true });
    const isAnswered = (stored: Stored[], words: string) => {
      const below = (id: string): boolean => stored.some((message) => message.parent_id === id && (message.content === "Noted." || below(message.id)));
      const sent = stored.find(({ role, content }) => role === "user" && content === words);
      return sent !== undefined && below(sent.id);
    };
    await expect.poll(async () => {
      const stored = await messages(one, chat);
      return words.every((words) => isAnswered(stored, words));
    }, { timeout: 90_000 }).toBe(true);
    for (const tab of [one, other]) await expect(tab.getByTestId("answer-coming")).toHaveCount(0);
  }

  // Whichever came first, every answer's files have the lines of the messages on the way to it, and no others.
  const stored = await messages(one, chat);
  const noted = stored.filter(({ role, content }) => role === "assistant" && content === "Noted.");
  expect(noted.length).toBeGreaterThanOrEqual(said.length);
  for (const { id } of noted) {
    const { status, body } = await ask(one, "GET", `/local/chats/${chat}/messages/${id}/manifest`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.files["log.txt"], `the files of ${id}`).toBe(sha256(linesBefore(stored, id)));
  }
  return said;
}

const never = new Promise(() => {});
/** A model that has every message noted, or hangs over it. */
const script: Script = ({ messages, tools }) => {
  const { role, content } = messages.at(-1)!;
  if (role === "tool") return say("Noted.");
  if (content.startsWith("Talk")) return [{ text: "Half of it" }, { wait: never }];
  const tool = content.startsWith("Hang") ? "hang" : "note";
  return call([tools!.find(({ function: { name } }) => name.endsWith(tool))!.function.name, { label: content }]);
};

/** Begins a chat in a tab; its id, and a way to open it in another. */
async function begin(page: Page, profile: Profile, satchel: Satchel) {
  await open(page, satchel.address);
  await install(page, toolset("noting", TOOLS));
  await offer(page, { noting: ["note", "hang"] });
  await send(page, "From the first tab");
  await answered(page, "Noted.");
  const chat = chatOf(page);
  const other = async () => {
    const tab = await profile.context!.newPage();
    await tab.goto(`${satchel.origin}/ui/chat/${chat}`);
    await ready(tab);
    await expect(tab.getByTestId("model-picker")).toContainText("scripted");
    return tab;
  };
  return { chat, other };
}

/** Each of these is stored once, was asked once, and has its one call, or none. */
async function expectOnce(page: Page, chat: string, asked: Asked[], said: string[]): Promise<void> {
  const stored = await messages(page, chat);
  const rows = await calls(page, chat);
  const questions = asked.map(({ messages }) => messages.at(-1)!).filter(({ role }) => role === "user");
  for (const words of said) {
    const sent = stored.filter(({ role, content }) => role === "user" && content === words);
    expect(sent, `"${words}" is there once`).toHaveLength(1);
    const question = asOneQuestion(stored, sent[0]);
    expect(questions.filter(({ content }) => content === question), `"${question}" was asked once`).toHaveLength(1);
    const made = words.startsWith("Talk") ? 0 : 1;
    expect(rows.filter(({ args }) => args.label === question), `the tool was called once for "${question}"`).toHaveLength(made);
  }
  asked.forEach(expectValid);
  await expectClean(page);
}

test("F11 tabs at the same moment", async ({ page, profile, satchel, model }) => {
  model.script = script;
  const { chat, other } = await begin(page, profile, satchel);
  const said = await together(page, await other(), chat);
  await expectOnce(page, chat, model.asked, ["From the first tab", ...said]);
});

test("F11 tabs", async ({ page, profile, satchel, model }) => {
  model.script = script;
  const { chat, other } = await begin(page, profile, satchel);
  const said = ["From the first tab"];

  // One after the other, each sees what the other did; a branch of one is there for both.
  const second = await other();
  await send(second, "From the second tab");
  await expect(page.getByTestId("message-user")).toHaveText([/From the first tab/, /From the second tab/]);
  for (const tab of [page, second]) {
    // Both answers of both messages: the words of the first would do for the second.
    await expect(tab.getByTestId("message-assistant")).toHaveCount(4);
    await answered(tab, "Noted.");
  }
  await (await edit(second, "As a branch"))();
  await expect(second.getByTestId("branch-count").last()).toHaveText("2 / 2");
  await answered(second, "Noted.");
  await expect.poll(async () => (await workspace(second, chat))["log.txt"]).toBe("From the first tab\nAs a branch\n");
  said.push("From the second tab", "As a branch");

  let slowest = 0;
  let first = page;
  for (let round = 0; round < TIMES; round += 1) {
    const what = round % 2 === 0 ? "answer" : "call";
    const words = `${what === "call" ? "Hang" : "Talk"} ${round}`;
    said.push(words);
    await send(first, words);
    if (what === "answer") {
      await expect(second.getByTestId("answer-coming")).toContainText("Half of it");
    } else {
      await expect.poll(async () => (await calls(second, chat)).at(-1)).toMatchObject({ status: "running", args: { label: words } });
    }
    const killed = Date.now();
    // In turns: closed by its user, and dead by a fault of the browser.
    if (round % 4 < 2) {
      await first.close();
    } else {
      const developer = await first.context().newCDPSession(first);
      const crashed = first.waitForEvent("crash");
      developer.send("Page.crash").catch(() => {});
      await crashed;
    }
    const took = await takenOver(second, chat, what, killed);
    slowest = Math.max(slowest, took);
    expect(took, `milliseconds until the ${what} is taken over`).toBeLessThan(TAKEN_OVER_WITHIN);
    await expect(second.getByTestId("answer-coming")).toHaveCount(0);
    if (!first.isClosed()) await first.close();

    // The chat goes on where it was left, in the tab that is still there.
    const next = `Go on ${round}`;
    said.push(next);
    await send(second, next);
    await expect.poll(async () => (await messages(second, chat)).at(-1)?.content).toBe("Noted.");
    await answered(second, "Noted.");
    first = await other();
  }

  // A call that was cut off has left nothing; all the others have left their line once.
  const lines = said.filter((words) => !/^(Talk|Hang|From the second)/.test(words));
  expect((await workspace(second, chat))["log.txt"]).toBe(lines.map((words) => `${words}\n`).join(""));
  await expectOnce(second, chat, model.asked, said);
  await report("tabs", `${TOGETHER} times both tabs at the same moment; ${TIMES} tabs killed in the middle of an answer or a call, taken over after ${slowest} ms at most; nothing lost, nothing asked or run twice`);
});
