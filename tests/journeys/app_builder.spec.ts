// The App Builder example in a conversation: a model writes, reads and runs, its user edits, approves and goes back.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { zip } from "./bundle";
import { answered, card, chatOf, offer, open, send } from "./conversation";
import { expect } from "./harness";
import { call, say, test, type Asked, type Step } from "./scripted_model";
import { calls, install, workspace } from "./toolset";

/** Loading Python takes some seconds on a slow machine. */
test.describe.configure({ timeout: 240_000 });

const FOLDER = join(import.meta.dirname, "../fixtures/app-builder");
const FILES = ["toolset.yaml", "tools/files.py", "tools/shell.py"];
const PAGE = "site/index.html";

/** Calls a tool by whatever name it goes by on the wire. */
const use = (asked: Asked, tool: string, args: object): Step[] =>
  call([asked.tools!.find(({ function: { name } }) => name.endsWith(tool))!.function.name, args]);

/** What the model was told last. */
const told = (asked: Asked[]) => JSON.parse(asked.at(-1)!.messages.at(-1)!.content);

/** R274, R190, R197, R199, R214 */
test("App Builder: write_file → code renderer editable → read_file → run_command with confirmation → workspace browser shows changes → switch branch restores", async ({
  page,
  satchel,
  model,
}) => {
  model.script = (asked) => {
    const last = asked.messages.at(-1)!;
    if (last.role === "tool") return say("That is done.");
    if (last.content === "Write a page.") return use(asked, "write_file", { path: PAGE, content: "<h1>Draft</h1>\n" });
    if (last.content === "Read it.") return use(asked, "read_file", { path: PAGE });
    return use(asked, "run_command", { command: last.content });
  };
  await open(page, satchel.address);
  const bundle = await Promise.all(FILES.map(async (path) => ({ path, text: await readFile(join(FOLDER, path)) })));
  await install(page, zip(bundle));
  await offer(page, { "app-builder": ["write_file", "read_file", "run_command"] });

  await send(page, "Write a page.");
  await answered(page, "That is done.");
  await expect(card(page, "write_file").getByTestId("tool-call-status")).toHaveText("Completed");
  expect(told(model.asked)).toEqual({ written: PAGE, size: 15 });
  const chat = chatOf(page);

  // What the user edits in the call's own view is what the model reads next.
  const view = card(page, "write_file").getByTestId("renderer-code");
  await expect(view.locator(".cm-content")).toHaveText("<h1>Draft</h1>");
  await view.locator(".cm-content").fill("<h1>Mine</h1>");
  await expect(view.getByTestId("save-state")).toHaveAttribute("data-state", "saved");
  await expect.poll(() => workspace(page, chat)).toEqual({ [PAGE]: "<h1>Mine</h1>" });
  await send(page, "Read it.");
  await expect(card(page, "read_file").getByTestId("tool-call-status")).toHaveText("Completed");
  await answered(page, "That is done.");
  expect(told(model.asked)).toEqual({ path: PAGE, content: "<h1>Mine</h1>", size: 13 });
  await expect(card(page, "read_file").getByTestId("renderer-code").locator(".cm-content")).toHaveText("<h1>Mine</h1>");

  // A command waits for a yes, and has done nothing until then.
  const asked = model.asked.length;
  await send(page, "cp -r site build && ls build");
  await expect(page.getByTestId("approval-arguments")).toHaveValue(/"cp -r site build && ls build"/);
  expect(await workspace(page, chat)).toEqual({ [PAGE]: "<h1>Mine</h1>" });
  expect(model.asked).toHaveLength(asked + 1);
  await page.getByTestId("approval-once").click();
  await expect(card(page, "run_command").getByTestId("tool-call-status")).toHaveText("Completed");
  await expect.poll(() => model.asked.length).toBe(asked + 2);
  await answered(page, "That is done.");
  expect(told(model.asked)).toEqual({ command: "cp -r site build && ls build", output: "index.html\n", exit_code: 0 });
  await expect(card(page, "run_command").getByTestId("renderer-code").locator(".cm-content")).toHaveText("index.html");
  await expect(page.getByTestId("workspace-changed-build/index.html")).toBeVisible();
  const built = { [PAGE]: "<h1>Mine</h1>", "build/index.html": "<h1>Mine</h1>" };
  expect(await workspace(page, chat)).toEqual(built);

  // Said otherwise, the same message is a branch with files of its own; the page that the user wrote is in both.
  const message = page.getByTestId("message-user").last();
  await message.hover();
  await message.getByTestId("message-edit").click();
  await page.getByTestId("message-edit-text").fill("mv site public");
  await page.getByTestId("message-edit-save").click();
  await page.getByTestId("approval-once").click();
  await expect(page.getByTestId("workspace-file-public/index.html")).toBeVisible();
  await expect.poll(() => model.asked.length).toBe(asked + 4);
  await answered(page, "That is done.");
  await expect(page.getByTestId("workspace-file-build/index.html")).toHaveCount(0);
  expect(await workspace(page, chat)).toEqual({ "public/index.html": "<h1>Mine</h1>" });

  await page.getByTestId("branch-prev").click();
  await expect(page.getByTestId("workspace-file-build/index.html")).toBeVisible();
  await expect(page.getByTestId("workspace-file-public/index.html")).toHaveCount(0);
  expect(await workspace(page, chat)).toEqual(built);
  await page.getByTestId("branch-next").click();
  await expect(page.getByTestId("workspace-file-public/index.html")).toBeVisible();
  expect(await workspace(page, chat)).toEqual({ "public/index.html": "<h1>Mine</h1>" });

  // Nothing that was run is run again by looking at it.
  expect(model.asked).toHaveLength(asked + 4);
  expect((await calls(page, chat)).map(({ tool_id, status }) => [tool_id, status])).toEqual([
    ["app-builder:write_file", "success"],
    ["app-builder:read_file", "success"],
    ["app-builder:run_command", "success"],
    ["app-builder:run_command", "success"],
  ]);
});
