// The fault rows: what must hold when something goes wrong in the middle. `cargo xtask faults` runs them and says where things are.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  outputDir: "../results",
  workers: 1,
  forbidOnly: true,
  retries: 0,
  // As long as the most rounds take.
  timeout: 3_600_000,
  expect: { timeout: 30_000 },
  reporter: [["line"]],
});
