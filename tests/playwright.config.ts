// Browser journeys: the real app, the real server, a real browser. `cargo xtask test` runs them and says where these are.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: ["journeys/*.spec.ts", "cage/*.spec.ts"],
  outputDir: "results",
  // Two cores: a browser and a server at a time are enough.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  // A second try tells a slow machine from a fault; the summary names what needed one as flaky.
  retries: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
});
