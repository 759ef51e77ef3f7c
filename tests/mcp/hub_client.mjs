// Another program that uses a saved toolset by the hub, with the official TypeScript SDK. What it is to do comes as one argument; what it saw is one
// line of JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const { url, token } = JSON.parse(process.argv[2]);
const headers = { Authorization: `Bearer ${token}` };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const client = new Client({ name: "tests", version: "1.0.0" });
let changes = 0;
let onChange = () => {};
client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
  changes += 1;
  onChange();
});
await client.connect(transport);

const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
const call = async (name, args = {}) => (await client.callTool({ name, arguments: args })).content[0].text;
/** Does something that changes the list, and waits until that was announced. */
const announced = async (doing) => {
  const before = changes;
  const heard = new Promise((resolve) => (onChange = () => changes > before && resolve()));
  const answer = await doing();
  await heard;
  return answer;
};

const saw = { version: transport.protocolVersion, begins: await names() };
saw.echoed = await call("stand-in_echo", { text: "hello" });
saw.weather = (await client.callTool({ name: "weather_today", arguments: { city: "Rome" } })).structuredContent;
saw.entered = JSON.parse(await announced(() => call("enter-configuration-mode")));
saw.configuring = await names();
const tools = [{ namespacedName: "stand-in.change" }];
saw.built = JSON.parse(await announced(() => call("build-toolset", { name: "other", tools, autoEquip: true }))).meta;
saw.equipped = await names();
saw.refused = (await client.callTool({ name: "stand-in_echo", arguments: {} })).isError;
console.log(JSON.stringify(saw));
await client.close();
