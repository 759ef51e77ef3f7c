// F1: the browser is killed at a random moment of an answer, again and again, on the same profile.
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { expect, ready } from "../journeys/harness";
import { type Asked, type Step, test } from "../journeys/scripted_model";
import { ask, expectClean, report } from "./ground";
import { launch, REOPENS_WITHIN } from "./killed_browser";

const TIMES = Number(process.env.SATCHEL_FAULT_TIMES ?? 20);

/** What the model says of a question, in so many pieces as an answer has that takes a while. */
const PIECES = 60;
const answerTo = (question: string) => Array.from({ length: PIECES }, (_, piece) => `${question}, piece ${piece}. `);

/** A message as the local API gives it. */
type Stored = { id: string; parent_id: string | null; role: string; content: string; metadata: { finish?: string; ended?: string } };

test("F1 kill during an answer", async ({ satchel, folder, model }) => {
  const profile = join(folder, "killed");
  const questions = new Set<string>();
  let chat = "";
  let slowest = 0;
  let moments = 1_500;
  const kept = { whole: 0, part: 0 };
  // A piece at a time, as far apart as a quick provider sends them.
  const pace = () => new Promise((resolve) => setTimeout(resolve, 20));
  /** What was asked last: a question whose answer never began is told in one with the next. */
  const lastOf = ({ messages }: Asked): string => messages.at(-1)!.content.split("\n").at(-1);
  model.script = (asked) => {
    const pieces = answerTo(lastOf(asked)).flatMap((text): (Step | (() => Promise<unknown>))[] => [{ text }, pace]);
    return [...pieces, { finish: "stop" }];
  };

  /** Every question that was shown is there, with one answer at most, which is as it came. */
  const look = async (page: Page) => {
    // What a killed browser has left is taken up first.
    await expect(page.getByTestId("answer-coming")).toHaveCount(0);
    await expectClean(page);
    const { messages } = (await ask(page, "GET", `/local/chats/${chat}`)).body as { messages: Stored[] };
    Object.assign(kept, { whole: 0, part: 0 });
    for (const question of questions) {
      const asked = messages.find(({ role, content }) => role === "user" && content === question);
      expect(asked, `"${question}" is there`).toBeTruthy();
      const answers = messages.filter(({ parent_id, role }) => role === "assistant" && parent_id === asked!.id);
      expect(answers.length, `"${question}" has one answer at most`).toBeLessThan(2);
      for (const { content, metadata } of answers) {
        const whole = answerTo(question).join("");
        expect(whole.startsWith(content), `the answer to "${question}" is as it came`).toBe(true);
        if (metadata.finish === "stop") expect(content).toBe(whole);
        else expect(metadata.ended, `an answer in part says so`).toBe("interrupted");
        kept[metadata.finish === "stop" ? "whole" : "part"] += 1;
      }
    }
  };

  for (let round = 0; round <= TIMES; round += 1) {
    const { page, kill } = await launch(profile);
    try {
      const started = performance.now();
      await page.goto(chat ? `${satchel.origin}/ui/chat/${chat}` : satchel.address);
      await ready(page);
      if (chat) {
        const reopened = performance.now() - started;
        slowest = Math.max(slowest, reopened);
        expect(reopened, "milliseconds to reopen").toBeLessThan(REOPENS_WITHIN);
        await look(page);
      }
      if (round === TIMES) break;

      await expect(page.getByTestId("model-picker")).toContainText("scripted");
      const question = `Question ${round}`;
      await page.getByTestId("chat-input").fill(question);
      await page.getByTestId("send-button").click();
      const begun = performance.now();
      // A message that is shown is a message that is stored.
      const shown = expect(page.getByTestId("message-user").filter({ hasText: question })).toBeVisible();
      shown.then(() => questions.add(question)).catch(() => {});
      const done = expect(page.getByTestId("message-assistant").last()).toContainText(`${question}, piece ${PIECES - 1}.`);
      if (round === 0) {
        // The first is left in peace, to learn how long it takes.
        await done;
        moments = (performance.now() - begun) * 1.1;
        chat = page.url().split("/").pop() as string;
      } else {
        const moment = new Promise((resolve) => setTimeout(resolve, Math.random() * moments));
        await Promise.race([done.catch(() => {}), moment]);
      }
    } finally {
      await kill();
    }
  }
  // Nobody asks a second time for what a dead browser has left.
  const asked = model.asked.map(lastOf);
  expect(new Set(asked).size).toBe(asked.length);
  await report(
    "kill_answer",
    `${TIMES} kills during answers, ${questions.size} questions all there, ${kept.whole} with their whole answer and ${kept.part} with a part; ` +
      `clean each time, slowest reopening ${(slowest / 1_000).toFixed(1)} s`,
  );
});
