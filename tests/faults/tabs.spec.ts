// F11: two tabs send, branch and run tools in one chat, and the one whose run it is is killed: in the middle of an answer, in the middle of a call.
import type { Page } from "@playwright/test";

import { answered, chatOf, offer, open, send } from "../journeys/conversation";
import { expect, ready } from "../journeys/harness";
import { call, say, test, type Asked } from "../journeys/scripted_model";
import { calls, install, toolset, workspace } from "../journeys/toolset";
import { expectClean, report } from "./ground";

const TIMES = Number(process.env.SATCHEL_FAULT_TIMES ?? 20);
/** How long the other tab may take. */
const TAKEN_OVER_WITHIN = 2_000;

const NOTE = `
    with (workspace / "log.txt").open("a") as log:
        log.write(label + "\\n")
`;
const TOOLS = [
  { name: "note", source: `def note(workspace, label):${NOTE}    return {"noted": label}\n` },
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

test("F11 tabs", async ({ page, profile, satchel, model }) => {
  const never = new Promise(() => {});
  model.script = ({ messages, tools }) => {
    const { role, content } = messages.at(-1)!;
    if (role === "tool") return say("Noted.");
    if (content.startsWith("Talk")) return [{ text: "Half of it" }, { wait: never }];
    const tool = content.startsWith("Hang") ? "hang" : "note";
    return call([tools!.find(({ function: { name } }) => name.endsWith(tool))!.function.name, { label: content }]);
  };
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
  const message = second.getByTestId("message-user").last();
  await message.hover();
  await message.getByTestId("message-edit").click();
  await second.getByTestId("message-edit-text").fill("As a branch");
  await second.getByTestId("message-edit-save").click();
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

  const stored = await messages(second, chat);
  const rows = await calls(second, chat);
  const asked = model.asked.map(({ messages }) => messages.at(-1)!).filter(({ role }) => role === "user");
  for (const words of said) {
    expect(stored.filter(({ role, content }) => role === "user" && content === words), `"${words}" is there once`).toHaveLength(1);
    expect(asked.filter(({ content }) => content === words), `"${words}" was asked once`).toHaveLength(1);
    const made = words.startsWith("Talk") ? 0 : 1;
    expect(rows.filter(({ args }) => args.label === words), `the tool was called once for "${words}"`).toHaveLength(made);
  }
  // A call that was cut off has left nothing; all the others have left their line once.
  const lines = said.filter((words) => !/^(Talk|Hang|From the second)/.test(words));
  expect((await workspace(second, chat))["log.txt"]).toBe(lines.map((words) => `${words}\n`).join(""));
  model.asked.forEach(expectValid);
  await expectClean(second);
  await report("tabs", `${TIMES} tabs killed in the middle of an answer or a call, taken over after ${slowest} ms at most; nothing lost, nothing asked or run twice`);
});
