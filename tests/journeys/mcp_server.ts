// An MCP server on this machine: streamable HTTP as of 2025-11-25, answered as JSON, or as a
// stream where it asks something first. Its tools can be changed while it runs.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Tool = { name: string; description: string; inputSchema: object; annotations?: object };

type Request = {
  id?: number | string;
  /** None in the answer to what the server has asked. */
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown> };
  result?: object;
};

const PROTOCOL = "2025-11-25";

export class McpServer {
  /** Every call of a tool, in the order they came. */
  readonly calls: { tool: string; arguments: Record<string, unknown> }[] = [];
  /** How often it was asked anything. */
  requests = 0;
  /** Whether calls are taken and never answered. */
  keepsWaiting = false;
  /** What each call has the user asked, by its tool; it then answers with what was filled in. */
  readonly asks: Record<string, { message: string; requestedSchema: object }> = {};
  /** Told what was filled in. */
  private filledIn = (_answer: object): void => {};

  private constructor(
    private readonly server: Server,
    /** What it offers; a test can change it. */
    public tools: Tool[],
  ) {}

  static async listen(tools: Tool[]): Promise<McpServer> {
    const server = createServer((request, response) => void mcp.answer(request, response));
    const mcp = new McpServer(server, tools);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return mcp;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    // It has no stream of its own to listen to, and no session to end.
    if (request.method !== "POST") return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Request;
    if (asked.id === undefined) return void response.writeHead(202).end();
    if (asked.method === undefined) {
      this.filledIn(asked.result ?? {});
      return void response.writeHead(202).end();
    }
    const question = asked.method === "tools/call" ? this.asks[asked.params?.name ?? ""] : undefined;
    if (question) {
      const answered = new Promise<object>((resolve) => (this.filledIn = resolve));
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
      send({ id: "question", method: "elicitation/create", params: question });
      const result = { content: [{ type: "text", text: JSON.stringify(await answered) }], isError: false };
      send({ id: asked.id, result });
      return void response.end();
    }
    const said = this.say(asked);
    if (this.keepsWaiting && asked.method === "tools/call") return;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...said }));
  }

  private say({ method, params }: Request): object {
    switch (method) {
      case "initialize":
        return {
          result: {
            protocolVersion: PROTOCOL,
            capabilities: { tools: {} },
            serverInfo: { name: "journey", version: "1.0.0" },
          },
        };
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: { tools: this.tools } };
      case "tools/call": {
        this.calls.push({ tool: params?.name ?? "", arguments: params?.arguments ?? {} });
        const text = `${params?.name} of ${JSON.stringify(params?.arguments ?? {})}`;
        return { result: { content: [{ type: "text", text }], isError: false } };
      }
      default:
        return { error: { code: -32601, message: `there is no ${method}` } };
    }
  }
}
