// An MCP server that wants a login, and the authorization server beside it: it lets everybody in who comes by the browser.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const TOKEN = "token-of-the-journey";

export class GuardedMcpServer {
  /** How often somebody came to sign in. */
  logins = 0;

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<GuardedMcpServer> {
    const server = createServer((request, response) => void guarded.answer(request, response));
    const guarded = new GuardedMcpServer(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return guarded;
  }

  private get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const address = new URL(request.url ?? "/", this.origin);
    const json = (value: object, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    switch (address.pathname) {
      case "/.well-known/oauth-protected-resource":
        return json({ resource: this.url, authorization_servers: [this.origin] });
      case "/.well-known/oauth-authorization-server":
        return json({
          issuer: this.origin,
          authorization_endpoint: `${this.origin}/authorize`,
          token_endpoint: `${this.origin}/token`,
          registration_endpoint: `${this.origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      case "/register":
        return json({ client_id: "journey", redirect_uris: JSON.parse(body).redirect_uris }, 201);
      case "/authorize": {
        this.logins += 1;
        const back = new URL(address.searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", "code-of-the-journey");
        back.searchParams.set("state", address.searchParams.get("state") ?? "");
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token":
        return json({ access_token: TOKEN, token_type: "Bearer", expires_in: 3600 });
      case "/mcp":
        return this.speak(request, body, response, json);
      default:
        return void response.writeHead(404).end();
    }
  }

  private speak(request: IncomingMessage, body: string, response: ServerResponse, json: (value: object) => void): void {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      const challenge = `Bearer resource_metadata="${this.origin}/.well-known/oauth-protected-resource"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const asked = JSON.parse(body);
    if (asked.id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "guarded", version: "1.0.0" },
      },
      "tools/list": { tools: [{ name: "greet", description: "Greets you", inputSchema: { type: "object" } }] },
    };
    const result = results[asked.method];
    json({ jsonrpc: "2.0", id: asked.id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) });
  }
}
