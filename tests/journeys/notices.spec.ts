// What the app says lies over nothing that people need.
import { expect, ready, setting, test } from "./harness";

for (const width of [390, 1440]) {
  test(`an error has room of its own, ${width} px wide`, async ({ page, satchel }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${satchel.origin}/ui/settings`);
    await ready(page);
    await setting(page, "limit_file_bytes", "0.001");
    await page.goto(satchel.origin);
    await ready(page);
    if (width < 640) await page.locator(".tab-bar").getByText("Files").click();
    const large = { name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc(1_001) };
    const small = { name: "small.txt", mimeType: "text/plain", buffer: Buffer.from("x") };
    await page.getByTestId("workspace-upload-input").setInputFiles([large, small]);
    const notice = page.getByTestId("notice").filter({ hasText: "size of a file" });
    await expect(notice).toBeVisible();
    await expect(page.getByTestId("workspace-file-small.txt")).toBeVisible();

    // Every control that is drawn is what a click at its middle meets.
    const covered = await page.evaluate(() => {
      const controls = [...document.querySelectorAll<HTMLElement>(".shell :is(button, a, input, textarea, [role=treeitem])")];
      const isUnder = (control: HTMLElement) => {
        if (control.closest(".notices") || !control.checkVisibility({ visibilityProperty: true })) return false;
        const box = control.getBoundingClientRect();
        if (box.width < 8 || box.height < 8 || box.bottom < 0 || box.top > innerHeight) return false;
        const met = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return met?.closest(".notices") != null;
      };
      return controls.filter(isUnder).map((control) => control.outerHTML.slice(0, 120));
    });
    expect(covered).toEqual([]);
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await expect(notice).toHaveCount(0);
  });
}
