// Sync, where people have to choose: a code that nobody has any more.
import { agree, test } from "./devices";
import { expect } from "./harness";
import { begin } from "./seeded";

test.describe.configure({ timeout: 300_000 });

/** R325 */
test("a code that nobody has any more is no dead end: a device that has the data begins anew", async ({ device }) => {
  const one = await device();
  const old = await one.start();
  await one.at("/ui/chat");
  await begin(one.page, "Kept though the code is lost");
  await one.at("/ui/settings#sync");
  await one.page.getByTestId("sync-leave").click();
  await one.page.getByTestId("confirm-ok").click();

  // The account has a log that nobody can read.
  await one.page.getByTestId("sync-start").click();
  await expect(one.page.getByTestId("sync-start-error")).toContainText("begin anew if it is lost");
  await one.page.getByTestId("sync-anew").click();
  await expect(one.page.getByText("What the server has is removed")).toBeVisible();
  await one.page.getByTestId("confirm-ok").click();
  await expect(one.page.getByTestId("sync-status")).toHaveAttribute("data-state", "up-to-date", { timeout: 60_000 });
  const fresh = (await one.page.getByTestId("sync-code").textContent()) ?? "";
  expect(fresh).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(fresh).not.toBe(old);

  const two = await device();
  await two.join(fresh);
  await agree(one, two);
  await two.at("/ui/chat");
  await expect(two.page.getByTestId("chat-list-item")).toHaveCount(1);
});
