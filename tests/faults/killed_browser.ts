// A browser of its own, which can be killed with all its processes at any moment.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "@playwright/test";

import { expect } from "../journeys/harness";

/** What a person waits for, in milliseconds. */
export const REOPENS_WITHIN = 5_000;
const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"];

/** A browser that can be killed with all its processes, as a power cut would. */
export async function launch(profile: string) {
  const portFile = join(profile, "DevToolsActivePort");
  rmSync(portFile, { force: true });
  const child = spawn(process.env.CHROMIUM as string, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], { stdio: "ignore", detached: true });
  const gone = new Promise((resolve) => child.on("exit", resolve));
  await expect.poll(() => existsSync(portFile) && readFileSync(portFile, "utf8").includes("\n"), { intervals: [20] }).toBe(true);
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(portFile, "utf8").split("\n")[0]}`);
  const context = browser.contexts()[0];
  const page = context.pages()[0] ?? (await context.newPage());
  const kill = async () => {
    process.kill(-(child.pid as number), "SIGKILL");
    await gone;
    await browser.close().catch(() => {});
  };
  return { page, kill };
}
