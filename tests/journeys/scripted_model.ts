// A model that says what a test has written down, in the shape of OpenAI's streams. It stands on this machine, and remembers what it was asked.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Satchel, freePort, test as base } from "./harness";

/** One thing that the model does. */
export type Step =
  | { text: string }
  | { reasoning: string }
  | { call: { index?: number; id?: string; name?: string; arguments?: string } }
  | { finish: string }
  | { usage: { prompt_tokens: number; completion_tokens: number } }
  /** Waits until the test lets it go on. */
  | { wait: Promise<unknown> }
  /** Ends the connection in the middle. */
  | { cut: true }
  /** Refuses, as the first and only step. */
  | { status: number; body: object };

/** What the app sends to a model. */
export interface Asked {
  model: string;
  messages: { role: string; content: any; tool_calls?: any[]; tool_call_id?: string }[];
  tools?: { type: string; function: { name: string; description: string; parameters: object } }[];
  tool_choice?: unknown;
  stream: boolean;
}

export type Script = (asked: Asked, turn: number) => Step[];

export class ScriptedModel {
  /** Everything it was asked, in order. */
  readonly asked: Asked[] = [];
  /** How many of those who asked have left before the end. */
  left = 0;
  /** What it says it has. */
  models: { id: string; context_length?: number }[] = [{ id: "scripted" }];
  script: Script = () => say("Hello.");

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server);
    server.on("request", (request, response) => void model.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A browser asks first whether it may.
    response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
    response.setHeader("access-control-allow-headers", "authorization, content-type");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (request.url?.endsWith("/models")) {
      response.setHeader("content-type", "application/json");
      const data = this.models.map((model) => ({ object: "model", ...model }));
      return void response.end(JSON.stringify({ object: "list", data }));
    }
    let body = "";
    for await (const piece of request) body += piece;
    const asked = JSON.parse(body) as Asked;
    this.asked.push(asked);
    response.on("close", () => {
      if (!response.writableEnded) this.left += 1;
    });
    for (const step of this.script(asked, this.asked.length - 1)) {
      if ("status" in step) {
        response.writeHead(step.status, { "content-type": "application/json" });
        return void response.end(JSON.stringify(step.body));
      }
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      if ("wait" in step) await step.wait;
      else if ("cut" in step) return void response.destroy();
      else response.write(`data: ${JSON.stringify(chunk(step))}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function chunk(step: Step): object {
  const choice = (delta: object, finish_reason: string | null = null) => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  if ("text" in step) return choice({ content: step.text });
  if ("reasoning" in step) return choice({ reasoning_content: step.reasoning });
  if ("finish" in step) return choice({}, step.finish);
  if ("usage" in step) return { object: "chat.completion.chunk", choices: [], usage: step.usage };
  if ("call" in step) {
    const { index = 0, id, name, arguments: text } = step.call;
    return choice({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] });
  }
  throw new Error("this step has no chunk");
}

/** An answer in words, piece by piece. */
export function say(...pieces: string[]): Step[] {
  return [...pieces.map((text) => ({ text })), { finish: "stop" }];
}

/** An answer that asks for calls, each by its name on the wire and its arguments. */
export function call(...calls: [string, object][]): Step[] {
  const steps = calls.map(([name, args], index) => ({
    call: { index, id: `call_${index}`, name, arguments: JSON.stringify(args) },
  }));
  return [...steps, { finish: "tool_calls" }];
}

/** A promise that a test resolves when it likes. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** A server that knows the scripted model as its provider. */
export const test = base.extend<{ model: ScriptedModel }>({
  model: async ({}, use) => {
    const model = await ScriptedModel.start();
    await use(model);
    await model.stop();
  },
  satchel: async ({ folder, model }, use) => {
    const data = join(folder, "data");
    await mkdir(data);
    const provider = `[[provider]]\nname = "script"\nbase_url = "${model.baseUrl}"\nformat = "openai"\n`;
    await writeFile(join(data, "satchel.toml"), provider);
    const satchel = new Satchel(await freePort(), data);
    await satchel.start();
    await use(satchel);
    await satchel.stop();
  },
});
