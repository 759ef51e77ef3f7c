// The pane of files, for the journeys: what is in it, what is typed into a file, and the turn of the chat.
import type { Page } from "@playwright/test";

import { expect, ready } from "./harness";

export const file = (page: Page, path: string) => page.getByTestId(`workspace-file-${path}`);
export const text = (name: string, content: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
export const upload = (page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.getByTestId("workspace-upload-input").setInputFiles(files);

/** Begins a chat with one message. */
export async function begin(page: Page, origin: string, words: string): Promise<void> {
  await page.goto(origin);
  await ready(page);
  await page.getByTestId("chat-input").fill(words);
  await page.getByTestId("send-button").click();
  await expect(page.getByTestId("message-user")).toHaveCount(1);
}

/** The code view's own text field. Playwright looks into open shadow roots. */
export const code = (page: Page) => page.getByTestId("code-view").locator(".cm-content");

/** Opens a file and writes into it, and waits until it is saved. */
export async function write(page: Page, path: string, content: string): Promise<void> {
  await file(page, path).click();
  await type(page, content);
}

/** Puts a text into the editor, and waits until it is saved. */
export async function type(page: Page, content: string): Promise<void> {
  await code(page).fill(content);
  await expect(page.getByTestId("save-state")).not.toHaveAttribute("data-state", "saved");
  await expect(page.getByTestId("save-state")).toHaveAttribute("data-state", "saved");
}

/** Holds the turn of the chat, so that nothing is saved in it until it is let go. */
export const hold = (page: Page) =>
  page.evaluate(() => {
    const chat = location.pathname.split("/").pop();
    return new Promise<void>((held) =>
      navigator.locks.request(`satchel-chat/${chat}`, () => {
        held();
        return new Promise<void>((free) => ((window as any).free = free));
      }),
    );
  });

/** Lets it go. */
export const letGo = (page: Page) => page.evaluate(() => (window as any).free());

export const back = (page: Page) => page.getByTestId("workspace-back").click();
