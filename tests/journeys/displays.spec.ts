// What a tool shows by the display hook, as the page draws it: pictures have their size, while the tool runs and after a reload.
import type { Locator } from "@playwright/test";

import { card } from "./conversation";
import { expect, ready, test } from "./harness";
import { adopt, begin } from "./seeded";
import { execute, install, toolset } from "./toolset";

/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const SHOW = `
import base64
import sys
import time
from satchel import Image, Svg, display

def show(workspace):
    print("said")
    print("warned", file=sys.stderr)
    display(Image(base64.b64decode("${PNG}")))
    display(Svg("<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'><rect width='20' height='10'/></svg>"))
    time.sleep(600)

def short(workspace):
    display(Image(base64.b64decode("${PNG}")))
    display(Svg("<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'><rect width='20' height='10'/></svg>"))
    return {"shown": 2}
`;

/** The pictures in a place are two, and the browser could read both. */
async function expectPictures(place: Locator): Promise<void> {
  const pictures = place.getByTestId("renderer-image").locator("img");
  await expect(pictures).toHaveCount(2);
  const widths = () => pictures.evaluateAll((all) => all.map((each) => (each as HTMLImageElement).naturalWidth));
  await expect.poll(widths).toEqual([1, 20]);
  await expect(place.getByText("This picture is damaged")).toHaveCount(0);
}

/** R305 */
test("a picture and a drawing are seen while the tool runs, with what it warns of, and after a reload", async ({ page, satchel }) => {
  test.setTimeout(120_000);
  await page.goto(satchel.origin);
  await ready(page);
  const tools = [{ name: "show", source: SHOW }, { name: "short", source: "from tools.show import short\n" }];
  await install(page, toolset("shows", tools));
  const chat = await begin(page);
  const running = execute(page, "shows", "show", { chat_id: chat });
  await expect(page.getByTestId("run-output")).toContainText("said", { timeout: 60_000 });
  await expect(page.getByTestId("run-output")).toContainText("warned");
  await expectPictures(page.locator(".run-displays"));
  await page.getByTestId("run-stop").click();
  expect((await running).error).toContain("dropped");

  expect((await execute(page, "shows", "short", { chat_id: chat })).result).toEqual({ shown: 2 });
  await adopt(page, chat);
  await page.reload();
  await ready(page);
  const call = card(page, "short").first();
  await call.scrollIntoViewIfNeeded();
  await expectPictures(call);
});
