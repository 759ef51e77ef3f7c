// Another program that uses a saved toolset by the hub.
import type { Satchel } from "./harness";

/** Asks the hub of a server, in the newer era: each request stands by itself. */
export async function askHub(satchel: Satchel, method: string, params: object): Promise<any> {
  const token = satchel.address.split("#token=")[1];
  const answer = await fetch(`${satchel.origin}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...("name" in params ? { "mcp-name": String(params.name) } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "journey", version: "1.0.0" },
        },
      },
    }),
  });
  const text = await answer.text();
  return JSON.parse(text.match(/^data: ?(\{.*)$/m)?.[1] ?? text).result;
}
