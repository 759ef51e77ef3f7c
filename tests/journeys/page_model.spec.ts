// A real model that runs in the page, with the network cut.
import { readFile, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { card, chatOf, offer, send } from "./conversation";
import { Satchel, connected, expect, freePort, kept, ready, setting, test as base } from "./harness";
import { modelFile } from "./real_model";
import { install, toolset, workspace } from "./toolset";
import type { Page } from "@playwright/test";

const test = base.extend({
  satchel: async ({ folder }, use) => {
    const satchel = new Satchel(await freePort(), join(folder, "data"), ["--model-file", await modelFile()]);
    await satchel.start();
    await use(satchel);
    await satchel.stop();
  },
});

/** The name the model goes by. */
const modelName = async () => basename(await modelFile(), ".gguf");

/** The section of the settings. */
async function open(page: Page, satchel: Satchel): Promise<void> {
  await page.goto(satchel.address);
  await connected(page);
  await page.goto(`${satchel.origin}/ui/settings#page-models`);
  await ready(page);
}

/** Asks a model through a core worker, as the app does; what a server would have streamed, event by event. */
const ask = (page: Page, model: string, body: object): Promise<any[]> =>
  page.evaluate(
    async ([model, body]) => {
      const tag = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)!.content;
      const name = `satchel-core-worker/journey/${tag("satchel-build")}`;
      const worker = new Worker(tag("satchel-core-worker"), { type: "module", name });
      const heard = (isIt: (data: any) => boolean) =>
        new Promise<any>((resolve) => worker.addEventListener("message", ({ data }) => isIt(data) && resolve(data)));
      await heard((data) => data === "listening");
      const answer = heard((data) => data[1] === "answer");
      const job = JSON.stringify({ ask_page_model: { model } });
      worker.postMessage([1, "job", job, new TextEncoder().encode(body)]);
      const text = new TextDecoder().decode((await answer)[3]);
      worker.terminate();
      if (!text.startsWith("data: ")) throw new Error(text);
      const events = text.split("\n\n").filter(Boolean).map((event) => event.slice("data: ".length));
      if (events.pop() !== "[DONE]") throw new Error("the answer has no end");
      return events.map((event) => JSON.parse(event));
    },
    [model, JSON.stringify(body)],
  );

/** The files of models in the browser's own file system. */
const stored = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("models", { create: true });
    const names: string[] = [];
    for await (const name of (folder as any).keys()) names.push(name);
    return names.sort();
  });

// R302
test("a model is fetched from the own server once, and then answers and calls tools with the network cut", async ({
  page,
  profile,
  satchel,
}) => {
  // Loading a model takes a while on a busy machine.
  test.setTimeout(300_000);
  const name = await modelName();
  await open(page, satchel);
  await kept(page);
  // What runs a model is large, and nobody has asked for it yet.
  expect(profile.requests.filter((address) => address.includes("/vendor/page-model-"))).toEqual([]);
  await page.getByTestId("page-model-fetch").click();
  const row = page.getByTestId(`page-model-${name}`);
  await expect(row).toContainText("98.4 MB", { timeout: 120_000 });
  await expect(row).toContainText("Demonstration");
  await expect(page.getByTestId("page-model-fetch")).toHaveCount(0);

  await satchel.stop();
  await profile.close();
  const cold = await profile.open();
  await cold.goto(`${satchel.origin}/ui/settings#page-models`);
  await ready(cold);
  await cold.getByTestId(`page-model-try-${name}`).click();
  await expect(cold.getByTestId("page-model-said")).toContainText("It runs here", { timeout: 120_000 });

  const parameters = {
    type: "object",
    properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] }, days: { type: "integer" } },
    required: ["city", "unit"],
  };
  const weather = { type: "function", function: { name: "get_weather", description: "The weather of a city", parameters } };
  const messages = [{ role: "user", content: "What is the weather in Paris?" }];
  const request = { messages, tools: [weather], temperature: 0, max_tokens: 120, stream_options: { include_usage: true } };

  // The grammar leaves a model that knows nothing of tools no other way.
  const forced = await ask(cold, name, { ...request, tool_choice: "required" });
  const calls = forced.flatMap((event) => event.choices[0]?.delta.tool_calls ?? []);
  expect(calls.map((call) => call.function.name).join("")).toBe("get_weather");
  const called = JSON.parse(calls.map((call) => call.function.arguments).join(""));
  expect(typeof called.city).toBe("string");
  expect(["celsius", "fahrenheit"]).toContain(called.unit);
  expect(Object.keys(called).filter((field) => !["city", "unit", "days"].includes(field))).toEqual([]);
  expect(forced.map((event) => event.choices[0]?.finish_reason).filter(Boolean)).toEqual(["tool_calls"]);
  expect(forced.find((event) => event.usage)?.usage.completion_tokens).toBeGreaterThan(5);

  // Words come word by word.
  const words = await ask(cold, name, { messages, temperature: 0, max_tokens: 12 });
  const pieces = words.map((event) => event.choices[0]?.delta.content).filter(Boolean);
  expect(pieces.length).toBeGreaterThan(3);

  await cold.getByTestId(`page-model-delete-${name}`).click();
  await cold.getByTestId("confirm-ok").click();
  await expect(cold.getByTestId(`page-model-${name}`)).toHaveCount(0);
  expect(await stored(cold)).toEqual([]);
});

// R302, F13
test("with the server stopped and the browser cold, the model in the page answers, a tool runs, and all is there after another start", async ({
  page,
  profile,
  satchel,
}) => {
  // Loading a model takes a while on a busy machine.
  test.setTimeout(480_000);
  const name = await modelName();
  await open(page, satchel);
  await page.getByTestId("page-model-fetch").click();
  await expect(page.getByTestId(`page-model-${name}`)).toContainText("98.4 MB", { timeout: 120_000 });
  const source = 'def stamp(workspace):\n    (workspace / "stamp.txt").write_text("stamped")\n    return {"stamped": 1}\n';
  await install(page, toolset("stamps", [{ name: "stamp", source, schema: "{type: object, properties: {}}" }]));
  // As little chance and as few words as can be: what matters is the way they go.
  await setting(page, "model-temperature", "0");
  await setting(page, "model-max-tokens", "40");
  await setting(page, "max-tool-iterations-input", "1");
  await page.goto(satchel.origin);
  await ready(page);
  await offer(page, { stamps: ["stamp"] });
  await kept(page);
  await satchel.stop();
  await profile.close();

  const cold = await profile.open();
  await cold.goto(satchel.origin);
  await ready(cold);
  await expect(cold.getByTestId("model-picker")).toContainText(name);
  // A model of this size does not choose a tool. It begins as it is told to, and from the brace on the grammar leaves it one way.
  await send(cold, "Complete the JSON. Begin with {");
  const call = card(cold, "stamp");
  await expect(call.getByTestId("tool-call-status")).toHaveText("Completed", { timeout: 240_000 });
  const chat = chatOf(cold);
  const messages = (of: Page): Promise<any[]> =>
    of.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).messages, chat);
  await expect.poll(async () => (await messages(cold)).map(({ role }) => role), { timeout: 200_000 }).toEqual(["user", "assistant", "tool", "assistant"]);
  const [, asked, told, said] = await messages(cold);
  expect(asked.tool_calls).toMatchObject([{ function: { arguments: "{}" } }]);
  expect(JSON.parse(told.content)).toEqual({ stamped: 1 });
  expect(said.content).toMatch(/[a-z]{2}/i);
  expect(await workspace(cold, chat)).toEqual({ "stamp.txt": "stamped" });
  await profile.close();

  const again = await profile.open();
  await again.goto(satchel.origin);
  await ready(again);
  await again.getByTestId("chat-list-item").first().click();
  await expect(card(again, "stamp").getByTestId("tool-call-status")).toHaveText("Completed");
  await expect(again.getByTestId("workspace-file-stamp.txt")).toBeVisible();
  expect(await messages(again)).toEqual([expect.anything(), asked, told, said]);
});

// R302
test("a new chat with no model gets the small one of the server in place, and it is called a demonstration", async ({ page, satchel }) => {
  test.setTimeout(200_000);
  const name = await modelName();
  await page.goto(satchel.address);
  await connected(page);
  await expect(page.getByTestId("no-model")).toBeVisible();
  await page.getByTestId("no-model-get").click();
  await expect(page.getByTestId("no-model-arriving")).toBeVisible();
  await expect(page.getByTestId("no-model")).toBeHidden({ timeout: 120_000 });
  await expect(page.getByTestId("model-picker")).toContainText(`${name} (demonstration)`);
  await page.goto(`${satchel.origin}/ui/settings#page-models`);
  // No journey's browser has a graphics card, and no page of the server is isolated.
  await expect(page.getByTestId("page-model-means")).toContainText("one thread");
});

// R302
test("a file of the user's becomes a model, and what is none is refused with a sentence", async ({ page, satchel, folder }) => {
  const head = (await readFile(await modelFile())).subarray(0, 3_000_000);
  await writeFile(join(folder, "notes.gguf"), "not a model");
  await writeFile(join(folder, "cut.gguf"), head);
  await open(page, satchel);
  const choose = page.getByTestId("page-model-file");
  await choose.setInputFiles(join(folder, "notes.gguf"));
  await expect(page.getByTestId("page-model-error")).toHaveText("This is not a GGUF file; choose one whose name ends in .gguf.");
  await choose.setInputFiles(join(folder, "cut.gguf"));
  await expect(page.getByTestId("page-model-error")).toContainText("damaged or cut short");
  expect(await stored(page)).toEqual([]);
  await choose.setInputFiles(await modelFile());
  await expect(page.getByTestId(`page-model-${await modelName()}`)).toBeVisible({ timeout: 60_000 });
  await expect(page.getByTestId("page-model-error")).toHaveCount(0);
});

base("a model that is stopped on its way leaves nothing behind", async ({ page, folder }) => {
  // So large that there is time to stop it; it takes no room where it is.
  const large = join(folder, "large.gguf");
  await writeFile(large, "GGUF");
  await truncate(large, 2_000_000_000);
  const satchel = new Satchel(await freePort(), join(folder, "other"), ["--model-file", large]);
  await satchel.start();
  await open(page, satchel);
  await page.getByTestId("page-model-fetch").click();
  await expect(page.getByTestId("page-model-arriving")).toContainText("MB of 2 GB");
  await page.getByTestId("page-model-stop").click();
  await expect(page.getByTestId("page-model-fetch")).toBeVisible();
  await expect(page.getByTestId("page-model-error")).toHaveCount(0);
  await expect.poll(() => stored(page)).toEqual([]);
  await satchel.stop();
});
