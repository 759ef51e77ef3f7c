// An endpoint of models on this machine, shaped as OpenAI's: it tells its models, and takes notes of who asked and how.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type EndpointOptions = {
  /** What it lists; each has at least an `id`. */
  models?: object[];
  /** The key it wants; it wants none unless this says so. */
  key?: string;
  /** Whether pages of other origins may read its answers. */
  cors?: boolean;
};

/** A request that came. */
export type Asked = { method: string; path: string; authorization?: string; origin?: string };

export class ModelEndpoint {
  /** Every request, in the order they came. */
  readonly asked: Asked[] = [];

  private constructor(
    private readonly server: Server,
    /** What it says; a test can change its mind. */
    readonly options: EndpointOptions,
  ) {}

  static async listen(options: EndpointOptions = {}): Promise<ModelEndpoint> {
    const server = createServer((request, response) => endpoint.answer(request, response));
    const endpoint = new ModelEndpoint(server, { models: [{ id: "tiny" }], cors: true, ...options });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return endpoint;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { authorization, origin } = request.headers;
    this.asked.push({ method: request.method!, path: request.url!, authorization, origin });
    if (this.options.cors) {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "*, authorization");
    }
    const say = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (this.options.key && authorization !== `Bearer ${this.options.key}`)
      return say(401, { error: { message: "Incorrect API key provided", code: "invalid_api_key" } });
    if (request.url === "/v1/models") return say(200, { object: "list", data: this.options.models });
    say(404, { error: { message: "there is nothing here" } });
  }
}
