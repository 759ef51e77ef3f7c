// Any web server will do: one that knows nothing of Satchel but to answer unknown addresses with 404.html.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

import { DIST, expect, kept, ready, test } from "./harness";

const TYPES: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

test("a plain static host is enough, for deep links and for the cage too", async ({ page }) => {
  const host = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    const path = pathname === "/" ? "/index.html" : pathname;
    const found = await readFile(join(DIST, path)).catch(() => null);
    response.writeHead(found ? 200 : 404, { "content-type": TYPES[found ? extname(path) : ".html"] ?? "text/plain" });
    response.end(found ?? (await readFile(join(DIST, "404.html"))));
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  try {
    const response = await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/ui/settings`);
    expect(response?.status()).toBe(404);
    await ready(page);
    await expect(page.getByRole("radio", { name: "Dark" })).toBeVisible();
    await kept(page);
    await page.getByTestId("cage-check").click();
    await expect(page.getByTestId("cage-verdict")).toContainText("Closed", { timeout: 60_000 });
  } finally {
    host.close();
  }
});
