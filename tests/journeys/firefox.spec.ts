// The app in Firefox: what it is for works there too (R326).
import { join } from "node:path";

import { Firefox } from "./firefox";
import { expect, test } from "./harness";
import { toolset } from "./toolset";

const SOURCE = `def count(workspace, text):
    from pathlib import Path
    Path(workspace, "seen.txt").write_text(text)
    return {"letters": len(text)}
`;

/** Imports a bundle, runs its tool in a chat, and gives what came of it. */
const runPython = async ([bundle, chat]: [string, string]) => {
  const body = Uint8Array.from(atob(bundle), (letter) => letter.charCodeAt(0));
  const imported = await fetch("/local/toolsets/import", { method: "POST", body });
  if (imported.status !== 201) throw new Error(`the import was answered with ${imported.status}`);
  const asking = { tool_call_id: crypto.randomUUID(), chat_id: chat, params: { text: "hello" } };
  const executed = await fetch("/local/toolsets/reader/execute/count", { method: "POST", body: JSON.stringify(asking) });
  return await executed.json();
};

/** What a chat holds. */
const held = async (chat: string) => {
  const { messages, tool_calls } = await (await fetch(`/local/chats/${chat}`)).json();
  const file = await (await fetch(`/local/chats/${chat}/workspace/files/seen.txt`)).text();
  return { said: messages.map((message: any) => message.content), calls: tool_calls.map((call: any) => call.status), file };
};

/** R326 */
test("in Firefox a chat is begun, a Python tool runs in its cage, and all of it is there after a cold start with no server", async ({ satchel, folder }) => {
  test.setTimeout(300_000);
  const program = process.env.FIREFOX;
  if (!program) throw new Error("FIREFOX is not set; run the journeys by `cargo xtask test`");
  const firefox = new Firefox(program, join(folder, "firefox"));
  await firefox.start();
  try {
    await firefox.open(satchel.address);
    await firefox.see("html[data-ready=true]");
    await firefox.type("[data-testid=chat-input]", "Hello from Firefox");
    await firefox.click("[data-testid=send-button]");
    await firefox.see("[data-testid=message-user]");
    const chat = await firefox.run(async () => {
      while (!/\/ui\/chat\/[0-9a-f-]{36}$/.test(location.pathname)) await new Promise((resolve) => requestAnimationFrame(resolve));
      return location.pathname.split("/").at(-1)!;
    }, null);

    const bundle = toolset("reader", [{ name: "count", source: SOURCE, schema: "{type: object, properties: {text: {type: string}}}" }]);
    const executed: any = await firefox.run(runPython, [bundle.toString("base64"), chat]);
    expect(executed.result).toEqual({ letters: 5 });
    const before = await firefox.run(held, chat);
    expect(before).toMatchObject({ said: ["Hello from Firefox"], calls: ["success"], file: "hello" });

    await firefox.quit();
    await satchel.stop();
    await firefox.start();
    await firefox.open(`${satchel.origin}/ui/chat/${chat}`);
    await firefox.see("html[data-ready=true]");
    await firefox.see("[data-testid=message-user]");
    expect(await firefox.run(held, chat)).toEqual(before);
  } finally {
    await firefox.quit();
  }
});
