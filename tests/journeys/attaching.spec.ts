// What goes along with a message: files by the picker, by drop and by paste, pictures for models that see, and files that are named in
// the words. The model says what each test wrote down; it is asked through the real server.
import type { Page } from "@playwright/test";

import { connected, expect, ready } from "./harness";
import { say, test } from "./scripted_model";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const input = (page: Page) => page.getByTestId("chat-input");
const chips = (page: Page) => page.getByTestId("attachment");
const answers = (page: Page) => page.getByTestId("message-assistant");

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await connected(page);
  await expect(page.getByTestId("model-picker")).toContainText("scripted");
  // The pane stores what comes.
  await expect(page.getByTestId("workspace-upload")).toBeVisible();
}

/** Drops or pastes a file onto the composer. */
async function bring(page: Page, kind: "drop" | "paste", name: string, type: string, bytes: Buffer): Promise<void> {
  await input(page).evaluate(
    (field, { kind, name, type, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], name, { type }));
      const options = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        kind === "drop"
          ? new DragEvent("drop", { ...options, dataTransfer: transfer })
          : new ClipboardEvent("paste", { ...options, clipboardData: transfer }),
      );
    },
    { kind, name, type, bytes: [...bytes] },
  );
}

const userParts = (asked: { messages: { role: string; content: any }[] }) =>
  asked.messages.filter((message) => message.role === "user").at(-1)?.content;

/** R018, R321 */
test("files come to the composer by picker, drop and paste, stay in the draft, and are sent: pictures to a model that sees", async ({ page, satchel, model }) => {
  model.listed = [{ id: "scripted", object: "model", capabilities: { vision: true } }];
  model.script = () => say("A dot.");
  await open(page, satchel.address);
  await input(page).fill("What is on it?");
  // Files before the first message begin a chat, and what was written goes along.
  await bring(page, "paste", "dot.png", "image/png", PIXEL);
  await expect(page).toHaveURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  await expect(input(page)).toHaveValue("What is on it?");
  await expect(chips(page)).toHaveCount(1);
  await expect(chips(page).getByTestId("attachment-picture")).toBeVisible();
  await bring(page, "drop", "rows.csv", "text/csv", Buffer.from("a,b\n1,2\n"));
  await expect(chips(page)).toHaveCount(2);
  await page.getByTestId("palette-trigger").click();
  const choosing = page.waitForEvent("filechooser");
  await page.getByTestId("palette-attach").click();
  await (await choosing).setFiles([{ name: "spare.txt", mimeType: "text/plain", buffer: Buffer.from("spare") }]);
  await expect(chips(page)).toHaveCount(3);

  await page.reload();
  await ready(page);
  await expect(chips(page)).toHaveCount(3);
  await chips(page).filter({ hasText: "spare.txt" }).getByTestId("attachment-remove").click();
  await expect(chips(page)).toHaveCount(2);
  await expect(page.getByTestId("workspace-file-spare.txt")).toBeVisible();
  await expect(page.getByTestId("attachment-unseen")).toBeEmpty();
  await page.getByTestId("send-button").click();
  await expect(answers(page)).toContainText(["A dot."]);

  const [words, picture, files] = userParts(model.asked[0]);
  expect(words).toEqual({ type: "text", text: "What is on it?" });
  expect(picture.image_url.url).toBe(`data:image/png;base64,${PIXEL.toString("base64")}`);
  expect(files.text).toContain("[Picture in the workspace: dot.png]");
  expect(files.text).toContain("[File in the workspace: rows.csv]\n```\na,b\n1,2\n```");
  expect(files.text).not.toContain("spare");

  // The draft is spent, the message shows what went along, and so does an edited one.
  await expect(chips(page)).toHaveCount(0);
  await expect(input(page)).toHaveValue("");
  const sent = page.getByTestId("message-user");
  await expect(sent.getByTestId("message-file")).toHaveCount(2);
  await expect(sent.getByTestId("attachment-picture")).toBeVisible();
  await expect(page.getByTestId("chat-title")).toHaveValue("What is on it?");
  await sent.getByTestId("message-edit").click();
  await page.getByTestId("message-edit-text").fill("Look closer.");
  await page.getByTestId("message-edit-save").click();
  await expect.poll(() => model.asked.length).toBe(2);
  expect(userParts(model.asked[1])[1].image_url.url).toContain("data:image/png");
  await expect(page.getByTestId("message-user").getByTestId("message-file")).toHaveCount(2);
  await page.reload();
  await ready(page);
  await expect(page.getByTestId("message-user").getByTestId("attachment-picture")).toBeVisible();
});

test("a model that does not see is told where a picture is, and the composer says so before it is sent", async ({ page, satchel, model }) => {
  model.listed = [{ id: "scripted", object: "model", capabilities: { vision: false } }];
  await open(page, satchel.address);
  await bring(page, "drop", "dot.png", "image/png", PIXEL);
  await expect(page.getByTestId("attachment-unseen")).toContainText("scripted cannot see pictures");
  await page.getByTestId("send-button").click();
  await expect(answers(page)).toContainText(["Hello."]);
  const said = userParts(model.asked[0]);
  expect(said).toContain("[A picture belongs here, which you cannot see.]");
  expect(said).toContain("[Picture in the workspace: dot.png]");
  await expect(page.getByTestId("chat-title")).toHaveValue("dot.png");
});

test("a picture that is larger than models look at is sent smaller", async ({ page, satchel, model }) => {
  model.listed = [{ id: "scripted", object: "model", capabilities: { vision: true } }];
  await open(page, satchel.address);
  const large = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(3136, 200);
    canvas.getContext("2d")?.fillRect(0, 0, 10, 10);
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
  });
  await bring(page, "paste", "wide.png", "image/png", Buffer.from(large));
  await expect(chips(page)).toHaveCount(1);
  await page.getByTestId("send-button").click();
  await expect(answers(page)).toContainText(["Hello."]);
  const url: string = userParts(model.asked[0])[0].image_url.url;
  const header = Buffer.from(url.split(",")[1], "base64");
  // The sides of a PNG stand in its first chunk.
  expect([header.readUInt32BE(16), header.readUInt32BE(20)]).toEqual([1568, 100]);
});

/** R314 */
test("an at sign names a file by keys alone, and the model reads it", async ({ page, satchel, model }) => {
  await open(page, satchel.address);
  const files = ["notes.md", "two words.txt", "plan.md"].map((name) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from(`inside ${name}\n`),
  }));
  await page.getByTestId("workspace-upload-input").setInputFiles(files);
  await expect(page.getByTestId("workspace-file-plan.md")).toBeVisible();
  // What is uploaded in the pane is in the workspace, and does not go along.
  await expect(chips(page)).toHaveCount(0);
  await input(page).click();
  await page.keyboard.type("Compare @");
  const options = page.getByTestId("mention-option");
  await expect(options).toHaveCount(3);
  await page.keyboard.type("two");
  await expect(options).toHaveText([/two words\.txt/]);
  await expect(input(page)).toHaveAttribute("aria-activedescendant", "mention-0");
  await page.keyboard.press("Enter");
  await expect(input(page)).toHaveValue('Compare @"two words.txt" ');
  await page.keyboard.type("with @");
  await expect(options).toHaveCount(3);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  await expect(input(page)).toHaveValue('Compare @"two words.txt" with @notes.md ');
  await page.keyboard.type("for me@example.org, @p");
  await expect(options.first()).toContainText("plan.md");
  // An at sign may also be one.
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("mention-list")).toBeHidden();
  await page.keyboard.press("Enter");
  await expect(answers(page)).toContainText(["Hello."]);
  const said = userParts(model.asked[0]);
  expect(said).toContain("[File in the workspace: two words.txt]\n```\ninside two words.txt\n```");
  expect(said).toContain("[File in the workspace: notes.md]\n```\ninside notes.md\n```");
  expect(said).not.toContain("inside plan.md");
  await expect(page.getByTestId("message-user")).toContainText('Compare @"two words.txt" with @notes.md for me@example.org, @p');
});
