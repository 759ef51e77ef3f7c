// A host that HTTP tools ask, and journeys with one.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { test as scripted } from "./scripted_model";

export type Request = { method: string; path: string; headers: IncomingMessage["headers"]; body: string };

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

/** A host that answers what the test says, and remembers what it was asked. */
export class Host {
  readonly asked: Request[] = [];
  answer: (request: Request) => Answer | Promise<Answer> = () => ({ body: {} });

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<Host> {
    const server = createServer();
    const host = new Host(server);
    server.on("request", async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      const asked = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      host.asked.push(asked);
      const { status = 200, headers = {}, body: said } = await host.answer(asked);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof said === "string" ? said : JSON.stringify(said));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return host;
  }

  get name(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A journey with a scripted model and a host on this machine, which the operator lets the server reach. */
export const test = scripted.extend<{ host: Host }>({
  operator: ['[outbound]\nprivate_hosts = ["127.0.0.1"]\n', { option: true }],
  host: async ({}, use) => {
    const host = await Host.listen();
    await use(host);
    await host.close();
  },
});
