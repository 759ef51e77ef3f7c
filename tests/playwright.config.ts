// Browser journeys: the real app, the real server, a real browser. `cargo xtask test` runs them and says where these are.
import { availableParallelism } from "node:os";

import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: ["journeys/*.spec.ts", "cage/*.spec.ts"],
  outputDir: "results",
  // Every journey has a server, a profile and ports of its own, so that as many run at a time as there are cores.
  workers: Math.min(4, availableParallelism()),
  fullyParallel: true,
  forbidOnly: true,
  // A second try tells a slow machine from a fault; `cargo xtask test` names at its end what needed one.
  retries: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
});
