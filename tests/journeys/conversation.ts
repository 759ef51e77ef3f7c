// A conversation as its user has it: the app connected to its server, tools chosen, words sent, calls and answers looked at.
import type { Page } from "@playwright/test";

import { expect, ready } from "./harness";

/** The chat that is open. */
export const chatOf = (page: Page) => page.url().split("/").at(-1) ?? "";

/** The answers of the branch that is looked at, in order. */
export const answers = (page: Page) => page.getByTestId("message-assistant");

/** The card of a call. */
export const card = (page: Page, name: string) => page.getByTestId("tool-call-message").filter({ hasText: name });

/** Opens the app with its server, and waits until it knows which model answers. */
export async function open(page: Page, address: string, model = "scripted"): Promise<void> {
  await page.goto(address);
  await ready(page);
  await expect(page.getByTestId("model-picker")).toContainText(model);
}

/** Has the next chat begin with these tools, by toolset. */
export async function offer(page: Page, tools: Record<string, string[]>): Promise<void> {
  await page.evaluate(
    (tools) => localStorage.setItem("satchel-last-toolset-selection", tools),
    JSON.stringify(tools),
  );
  await page.reload();
  await ready(page);
}

/** Says something. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByTestId("chat-input").fill(text);
  await page.getByTestId("send-button").click();
}

/** Waits for the end of an answer that ends with these words. */
export async function answered(page: Page, words: string, timeout = 90_000): Promise<void> {
  await expect(answers(page).last()).toContainText(words, { timeout });
  await expect(page.getByTestId("answer-coming")).toHaveCount(0);
}
