// What axe says of a page. Some tests look at everything it finds, as a dialog of ours should have no fault at all; most at what is serious.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Locator, Page } from "@playwright/test";

import { expect } from "./harness";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Which findings count. */
export type Findings = "serious" | "all";

/** Expects that axe finds nothing in the page as it stands, or in a part of it, in light and in dark, and that it does not scroll sideways. */
export async function expectSound(page: Page, what: string, findings: Findings = "serious", part: Locator = page.locator("html")): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await readFile(AXE, "utf8"));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // All that the colours change is how well they are told apart.
    const rules = colorScheme === "light" ? undefined : ["color-contrast"];
    const violations = await part.evaluate(async (part, rules) => {
      // What is in a frame is the tool's own, and axe cannot look into a closed one.
      const options = { iframes: false, ...(rules ? { runOnly: rules } : {}) };
      return (await (window as any).axe.run(part, options)).violations;
    }, rules);
    const counted = violations.filter((found: any) => findings === "all" || ["serious", "critical"].includes(found.impact));
    const told = counted.map((found: any) => `${found.id}: ${found.nodes.map((node: any) => node.html).join(" | ")}`);
    expect(told, `${what}, ${colorScheme}`).toEqual([]);
  }
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, `${what} scrolls sideways`).toBeLessThanOrEqual(0);
}
