// F15, the browser's half: what a provider may do in the middle of an answer. What came is kept and marked, it is said what happened, and the
// chat goes on. What the server itself makes of such days is shown by its own tests.
import type { Page } from "@playwright/test";

import { answered, answers, chatOf, open, send } from "../journeys/conversation";
import { expect } from "../journeys/harness";
import { say, test, type Step } from "../journeys/scripted_model";
import { expectClean, report } from "./ground";

/** Seconds of silence after which the server gives a provider up. */
const SILENCE = 2;
test.use({ operator: `[limits]\nsilence_seconds = ${SILENCE}\n` });

/** How soon a provider has to be left. */
const LEFT_WITHIN = 1_000;

const event = (content: string) => Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`);
/** The same, ended inside its last character. */
const cutInside = (content: string) => {
  const whole = event(content);
  return whole.subarray(0, whole.lastIndexOf(Buffer.from(content.at(-1)!)) + 1);
};
const never = new Promise(() => {});

/** What the provider does, what is kept of it, and what is said. */
const DAYS: { name: string; steps: Step[]; kept?: string | RegExp; ended?: "failed"; words?: RegExp }[] = [
  { name: "cut in mid-token", steps: [{ text: "Half of " }, { raw: cutInside("Zü") }, { cut: true }], kept: "Half of ", ended: "failed" },
  { name: "a line of 10 MB", steps: [{ text: "Before it. " }, { raw: event("x".repeat(10 << 20)) }, { finish: "stop" }], kept: "Before it. ", ended: "failed" },
  { name: "bytes that are no text", steps: [{ raw: Buffer.concat([event("a").subarray(0, -8), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), event("a").subarray(-8)]) }, { finish: "stop" }], kept: /\ufffd/ },
  { name: "silence", steps: [{ text: "And then" }, { wait: never }], kept: "And then", ended: "failed" },
  { name: "429", steps: [{ status: 429, body: { error: { message: "Too many questions today." } } }], words: /Too many questions today/ },
  { name: "500", steps: [{ status: 500, body: { error: { message: "The machine is on fire." } } }], words: /The machine is on fire/ },
];

type Stored = { role: string; content: string; metadata: { ended?: string; finish?: string } };
const stored = (page: Page): Promise<Stored[]> =>
  page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).messages, chatOf(page));

test("F15 provider", async ({ page, satchel, model }) => {
  await open(page, satchel.address);
  for (const { name, steps, kept, ended, words } of DAYS) {
    await test.step(name, async () => {
      // What is cut off at once may never have left; what is seen has come.
      const seen = (words: string) => () => expect(page.getByTestId("answer-coming")).toContainText(words.trim());
      model.script = () => steps.flatMap((step) => ("text" in step ? [step, seen(step.text)] : [step]));
      const before = model.asked.length;
      await send(page, `Today: ${name}.`);
      await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
      if (words) await expect(page.getByTestId("answer-note").last()).toContainText(words);
      if (kept) {
        // The answer to this message, and not the one before it.
        const last = async () => (await stored(page)).slice(-2).map(({ role, content }) => (role === "user" ? content : role));
        await expect.poll(last, { message: "what came is stored" }).toEqual([`Today: ${name}.`, "assistant"]);
        const answer = (await stored(page)).at(-1)!;
        expect(answer.content).toEqual(typeof kept === "string" ? kept : expect.stringMatching(kept));
        expect(answer.metadata.ended, "and marked").toBe(ended);
      }
      await expect(page.getByTestId("answer-coming")).toHaveCount(0);
      expect(model.asked, "nobody asks again by itself").toHaveLength(before + 1);
      expect((await stored(page)).filter(({ role, content }) => role === "user" && content === `Today: ${name}.`)).toHaveLength(1);

      // It goes on: the next answer is whole, and the model is told what there was.
      model.script = () => say(`After ${name}.`);
      await send(page, "And now?");
      await answered(page, `After ${name}.`);
      expect(model.asked.at(-1)!.messages.map(({ content }) => content).join("\n")).toContain(`Today: ${name}.`);
    });
  }

  // The user leaves: by Stop, and by closing the tab.
  let slowest = 0;
  const leaves = async (leave: () => Promise<void>) => {
    model.script = () => [{ text: "On and on" }, { wait: never }];
    const { left } = model;
    await send(page, "Without an end.");
    await expect(page.getByTestId("answer-coming")).toContainText("On and on");
    const at = Date.now();
    await leave();
    await expect.poll(() => model.left, { intervals: [5] }).toBe(left + 1);
    slowest = Math.max(slowest, Date.now() - at);
    expect(slowest, "milliseconds until the provider is left").toBeLessThan(LEFT_WITHIN);
  };
  await leaves(() => page.getByTestId("stop-button").click());
  await expect(answers(page).last()).toContainText("On and on");
  await expect.poll(async () => (await stored(page)).at(-1)?.metadata.ended).toBe("stopped");
  await expectClean(page);
  await leaves(() => page.close());
  await report("provider", `in Chromium ${DAYS.length} bad days lived through, what came kept and marked; a provider that is left is left after ${slowest} ms at most`);
});
