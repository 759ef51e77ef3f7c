// Python toolsets for the journeys: imported and executed as a script in the page would.
import type { Page } from "@playwright/test";

import { zip } from "./bundle";

/** A tool: its name, its Python source with a function of that name, what it takes, and what else its manifest says. */
export type ToolSource = { name: string; source: string; schema?: string; more?: string };

/** A bundle with one module a tool. */
export function toolset(id: string, tools: ToolSource[], more = "", files: { path: string; text: string | Buffer }[] = []): Buffer {
  const entries = tools
    .map(
      (tool) => `  - id: ${tool.name}
    description: The tool ${tool.name}
    entrypoint: tools.${tool.name}:${tool.name}
    input_schema: ${tool.schema ?? "{type: object}"}
${tool.more ?? ""}`,
    )
    .join("\n");
  const yaml = `manifest_version: "1"
id: ${id}
name: The ${id} toolset
version: "1.0.0"
description: For a journey
tools:
${entries}
${more}`;
  const modules = tools.map((tool) => ({ path: `tools/${tool.name}.py`, text: tool.source }));
  return zip([{ path: "toolset.yaml", text: yaml }, ...modules, ...files]);
}

/** Imports a bundle by the local API. */
export async function install(page: Page, bundle: Buffer): Promise<void> {
  const answer = await page.evaluate(async (bytes) => {
    const body = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
    const answer = await fetch("/local/toolsets/import", { method: "POST", body });
    return { status: answer.status, text: await answer.text() };
  }, bundle.toString("base64"));
  if (answer.status !== 201) throw new Error(`the import was answered with ${answer.status}: ${answer.text}`);
}

export type Executed = { status: number; result?: any; error?: any; tool_call_id?: string };

/** What is asked of `execute`, besides the tool. */
export type Asking = { params?: object; chat_id?: string; approved?: boolean; ask?: boolean; tool_call_id?: string };

/** Executes a tool by the local API, and waits for its end. */
export function execute(page: Page, toolset: string, method: string, asking: Asking = {}): Promise<Executed> {
  return page.evaluate(
    async ([path, body]) => {
      const answer = await fetch(path, { method: "POST", body });
      return { status: answer.status, ...(await answer.json()) };
    },
    [
      `/local/toolsets/${toolset}/execute/${method}`,
      JSON.stringify({ tool_call_id: crypto.randomUUID(), params: {}, ...asking }),
    ] as const,
  );
}

/** A new chat. */
export const newChat = (page: Page): Promise<string> =>
  page.evaluate(async () => (await (await fetch("/local/chats", { method: "POST", body: "{}" })).json()).id);

/** The files of a chat's workspace, as text by path. */
export function workspace(page: Page, chat: string): Promise<Record<string, string>> {
  return page.evaluate(async (chat) => {
    const { files } = await (await fetch(`/local/chats/${chat}/workspace`)).json();
    const texts: Record<string, string> = {};
    for (const { path } of files) {
      texts[path] = await (await fetch(`/local/chats/${chat}/workspace/files/${path}`)).text();
    }
    return texts;
  }, chat);
}

/** The calls that are recorded in a chat. */
export const calls = (page: Page, chat: string): Promise<any[]> =>
  page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).tool_calls, chat);
