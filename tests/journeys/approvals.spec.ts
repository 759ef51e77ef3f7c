// Approvals: a tool that asks waits for its user, and a remembered yes is for the tool as it was.
import { expect, ready, test } from "./harness";
import { calls, execute, install, newChat, toolset } from "./toolset";

test.describe.configure({ timeout: 180_000 });

const SOURCE = "def wipe(workspace, what='all'):\n    return {'wiped': what}\n";
const MORE = "    requires_confirmation: true";

/** R197, R307 */
test("a tool that asks first shows its exact arguments, which can be changed", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await install(page, toolset("careful", [{ name: "wipe", source: SOURCE, more: MORE }]));
  const chat = await newChat(page);
  const params = { what: "everything" };

  const refused = await execute(page, "careful", "wipe", { chat_id: chat, params });
  expect(refused).toMatchObject({ status: 409, error: { code: "approval_required" } });
  expect((await execute(page, "careful", "wipe", { chat_id: chat, params, approved: true })).result).toEqual({ wiped: "everything" });

  const denied = execute(page, "careful", "wipe", { chat_id: chat, params, ask: true });
  await expect(page.getByTestId("approval-request")).toContainText("careful:wipe");
  await expect(page.getByTestId("approval-arguments")).toHaveValue(/"what": "everything"/);
  await page.getByTestId("approval-reason").fill("not today");
  await page.getByTestId("approval-deny").click();
  expect((await denied).error).toContain("not today");
  expect((await calls(page, chat)).at(-1)).toMatchObject({ status: "error", error_kind: "denied" });

  const changed = execute(page, "careful", "wipe", { chat_id: chat, params, ask: true });
  await page.getByTestId("approval-arguments").fill("{");
  await page.getByTestId("approval-once").click();
  await expect(page.getByRole("alert")).toContainText("not JSON");
  await page.getByTestId("approval-arguments").fill('{"what": "a little"}');
  await page.getByTestId("approval-once").click();
  expect((await changed).result).toEqual({ wiped: "a little" });
  expect((await calls(page, chat)).at(-1).args).toEqual({ what: "a little" });
});

/** R307 */
test("a yes for a chat holds there, one for always everywhere, and a changed tool is off until it is approved", async ({ page, satchel }) => {
  await page.goto(satchel.origin);
  await ready(page);
  await install(page, toolset("careful", [{ name: "wipe", source: SOURCE, more: MORE }]));
  const [one, two] = [await newChat(page), await newChat(page)];
  const asks = async (chat: string) => (await execute(page, "careful", "wipe", { chat_id: chat })).status === 409;

  const forChat = execute(page, "careful", "wipe", { chat_id: one, ask: true });
  await page.getByTestId("approval-chat").click();
  expect((await forChat).status).toBe(200);
  expect(await asks(one)).toBe(false);
  expect(await asks(two)).toBe(true);

  const always = execute(page, "careful", "wipe", { chat_id: two, ask: true });
  await page.getByTestId("approval-always").click();
  expect((await always).status).toBe(200);
  expect(await asks(await newChat(page))).toBe(false);
  await page.goto(`${satchel.origin}/ui/tools/careful:wipe`);
  await ready(page);
  const pinned = page.getByTestId("tool-pin");
  await expect(pinned).toContainText("unchanged");
  const hash = await pinned.locator("code").innerText();
  expect(hash).toMatch(/^[0-9a-f]{64}$/);

  const changed = toolset("careful", [{ name: "wipe", source: SOURCE.replace("wiped", "gone"), more: MORE }]);
  await page.evaluate(async (bytes) => {
    const body = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
    await fetch("/local/toolsets/import?replace=true", { method: "POST", body });
  }, changed.toString("base64"));
  const refused = await execute(page, "careful", "wipe", { chat_id: one });
  expect([refused.status, JSON.stringify(refused.error)]).toEqual([refused.status, expect.stringContaining("Changed since it was last used")]);
  await page.reload();
  await ready(page);
  await expect(pinned).toContainText("changed, so it is off");
  await expect(pinned.locator("code")).toHaveText(hash);
  const what = page.getByTestId("pin-changed-careful:wipe");
  await expect(what).toContainText("package");
  await expect(what).toContainText("file tools/wipe.py");
  await page.getByTestId("pin-approve-careful:wipe").click();
  await expect(what).toHaveCount(0);
  await expect(pinned).toContainText("unchanged");
  expect(await asks(one)).toBe(true);
  expect(await asks(two)).toBe(true);
});
