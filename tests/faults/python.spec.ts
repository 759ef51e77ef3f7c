// F14: Python that does not end, takes all memory, dies, or leaves more than can be kept. The limit holds, the last good files stay,
// and the next call works.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, ready, test } from "../journeys/harness";
import { calls, execute, install, newChat, toolset, workspace } from "../journeys/toolset";
import { expectClean, report } from "./ground";

/** Seconds a tool of this row may run. */
const LIMIT = 3;
/** Seconds that one takes which may. */
const LONG = 320;

const CASES: Record<string, string> = {
  loop: "    while True:\n        pass\n",
  sleep: "    import time\n    time.sleep(600)\n",
  async_sleep: "    import asyncio\n    from pyodide.ffi import run_sync\n    run_sync(asyncio.sleep(600))\n",
  regex: "    import re\n    re.match(r'(a+)+$', 'a' * 60 + 'b')\n",
  javascript: "    import js\n    js.RegExp.new('(a+)+$').test('a' * 60 + 'b')\n",
};
/** What ends by itself, or at another limit, and can be stopped before. */
const STOPPED: Record<string, string> = {
  ...CASES,
  grows: "    import time\n    blocks = []\n    while True:\n        blocks.append(bytearray(1 << 20))\n        time.sleep(0.01)\n",
  writes: '    while True:\n        for n in range(100_000):\n            (workspace / str(n)).write_text("x")\n',
  shell: '    import subprocess\n    subprocess.run("while true; do :; done", shell=True)\n',
  fetches: '    from urllib.request import urlopen\n    urlopen("http://HOST/never")\n',
};
/** Seconds until the next call after a Stop has its answer: it needs a cage, which may have to be started. */
const NEXT = 5;

const DEATHS: Record<string, { body: string; words: RegExp }> = {
  memory: { body: "    blocks = []\n    while True:\n        blocks.append(bytearray(64 << 20))\n", words: /MemoryError|died|memory/i },
  four_gigabytes: { body: "    bytearray(4 << 30)\n", words: /MemoryError|OverflowError|died/i },
  recursion: { body: "    def f():\n        return f()\n    f()\n", words: /RecursionError|crashed/i },
  fatal: { body: "    import ctypes\n    ctypes.string_at(1 << 31, 1 << 30)\n", words: /./ },
  many_files: {
    body: "    for n in range(100_000):\n        (workspace / str(n)).touch()\n    return {}\n",
    words: /20,000|too many|files/i,
  },
};

/** A host that hears a request and never answers. */
async function silentHost() {
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    // The question ahead of the request is answered, the request is not.
    if (request.method === "OPTIONS") response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => (server.close(), server.closeAllConnections());
  return { name: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

test("F14 python", async ({ page, satchel }) => {
  const host = await silentHost();
  await page.goto(satchel.origin);
  await ready(page);
  const tool = (name: string, body: string, seconds: number) => ({
    name,
    source: `def ${name}(workspace):\n    (workspace / "lost.txt").write_text("lost")\n    print("begun", flush=True)\n${body.replace("HOST", host.name)}`,
    more: `    timeout_seconds: ${seconds}`,
  });
  const tools = [
    ...Object.entries(CASES).map(([name, body]) => tool(name, body, LIMIT)),
    // The same bodies once more, with time enough to be stopped.
    ...Object.entries(STOPPED).map(([name, body]) => tool(`stop_${name}`, body, 600)),
    ...Object.entries(DEATHS).map(([name, { body }]) => tool(name, body, 60)),
    { name: "long", source: `import time\n\ndef long(workspace):\n    time.sleep(${LONG})\n    return {"slept": ${LONG}}\n`, more: "    timeout_seconds: 600" },
    { name: "well", source: 'def well(workspace):\n    (workspace / "kept.txt").write_text("kept")\n    return {"well": True}\n' },
    {
      name: "unreadable",
      source: 'import os\n\ndef unreadable(workspace):\n    (workspace / "kept.txt").write_text("changed")\n    os.chmod(workspace / "kept.txt", 0)\n    return {}\n',
    },
  ];
  await install(page, toolset("faulty", tools, `network: {hosts: ["${host.name}"]}`));
  const chat = await newChat(page);
  const good = async (what: string) => {
    const started = Date.now();
    expect((await execute(page, "faulty", "well", { chat_id: chat })).result, what).toEqual({ well: true });
    expect(await workspace(page, chat), what).toEqual({ "kept.txt": "kept" });
    return Date.now() - started;
  };
  await good("at first");

  let slowest = 0;
  for (const name of Object.keys(CASES)) {
    const started = Date.now();
    const answer = await execute(page, "faulty", name, { chat_id: chat });
    slowest = Math.max(slowest, Date.now() - started - LIMIT * 1_000);
    expect(answer.error, name).toContain(`longer than ${LIMIT} s`);
    expect((await calls(page, chat)).at(-1)).toMatchObject({ status: "error", error_kind: "timeout" });
    await good(name);
  }
  expect(slowest, "stopped within the limit and a second").toBeLessThan(1_000);

  let [slowestStop, slowestNext] = [0, 0];
  for (const name of Object.keys(STOPPED)) {
    const running = execute(page, "faulty", `stop_${name}`, { chat_id: chat });
    if (name === "fetches") await page.getByTestId("host-grant-allow").click();
    await expect(page.getByTestId("run-output"), name).toHaveText("begun", { timeout: 30_000 });
    await page.getByTestId("run-stop").click();
    const started = Date.now();
    expect((await running).error, name).toContain("dropped");
    slowestStop = Math.max(slowestStop, Date.now() - started);
    expect((await calls(page, chat)).at(-1), name).toMatchObject({ status: "error", error_kind: "cancelled" });
    slowestNext = Math.max(slowestNext, await good(name));
  }
  expect(slowestStop, "stopped within a second of being told").toBeLessThan(1_000);
  expect(slowestNext, "the next call after a Stop").toBeLessThan(NEXT * 1_000);
  host.close();

  for (const [name, { words }] of Object.entries(DEATHS)) {
    const answer = await execute(page, "faulty", name, { chat_id: chat });
    expect(answer.error, name).toMatch(words);
    // What an exception leaves is kept; what a death leaves is not.
    await page.evaluate((chat) => fetch(`/local/chats/${chat}/workspace/files/lost.txt`, { method: "DELETE" }), chat);
    await good(name);
  }

  // What cannot be read is neither changed nor deleted, and it is said.
  await execute(page, "faulty", "unreadable", { chat_id: chat });
  expect(await workspace(page, chat)).toEqual({ "kept.txt": "kept" });
  expect(JSON.stringify((await calls(page, chat)).at(-1).notes)).toContain("kept.txt");
  await good("unreadable");
  await expectClean(page);

  // A browser ends a service worker's event after five minutes. A run may take longer, and its answer still comes.
  const begun = Date.now();
  expect((await execute(page, "faulty", "long", { chat_id: chat })).result).toEqual({ slept: LONG });
  expect(Date.now() - begun).toBeGreaterThan(LONG * 1_000);
  await report(
    "python",
    `${Object.keys(CASES).length} endless tools ended at their limit (+${slowest} ms at most), ${Object.keys(STOPPED).length} by Stop ` +
      `(${slowestStop} ms at most, the next call ${slowestNext} ms at most), ` +
      `${Object.keys(DEATHS).length} deaths survived, an unreadable file kept, each time the next call worked; a run of ${LONG} s answered`,
  );
});
