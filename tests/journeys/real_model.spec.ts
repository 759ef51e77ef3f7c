// A real model, asked through the real server.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { answers, chatOf, open, send } from "./conversation";
import { Satchel, expect, freePort, ready, setting, test as base } from "./harness";
import { RealModel } from "./real_model";

const test = base.extend<{ model: RealModel }>({
  model: async ({}, use) => {
    const model = await RealModel.start();
    await use(model);
    await model.stop();
  },
  satchel: async ({ folder, model }, use) => {
    const data = join(folder, "data");
    await mkdir(data);
    const provider = `[[provider]]\nname = "this machine"\nbase_url = "${model.baseUrl}"\nformat = "openai"\n`;
    await writeFile(join(data, "satchel.toml"), provider);
    const satchel = new Satchel(await freePort(), data);
    await satchel.start();
    await use(satchel);
    await satchel.stop();
  },
});

/** A request to the server as the app would make it. */
const ask = (satchel: Satchel, path: string, body?: object, signal?: AbortSignal) =>
  fetch(`${satchel.origin}/api/v1/providers/this%20machine/${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${satchel.address.split("#token=")[1]}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
    signal,
  });

const question = (more: object) => ({
  messages: [{ role: "user", content: "What is the capital of France?" }],
  temperature: 0,
  ...more,
});

// R260
test("a real model's answer streams through the server, and is the one it gives in one go", async ({ satchel }) => {
  // Loading and asking a model takes a while on a busy machine.
  test.slow();
  const models = (await (await ask(satchel, "models")).json()).models;
  expect(models).toHaveLength(1);
  expect(models[0].context_length).toBe(8192);

  const streamed = await ask(satchel, "chat", question({ stream: true, max_tokens: 12 }));
  expect(streamed.status).toBe(200);
  expect(streamed.headers.get("content-type")).toContain("text/event-stream");
  expect(streamed.headers.get("x-satchel-answered-by")).toBe("provider");
  let [text, pieces] = ["", 0];
  for await (const piece of streamed.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    pieces += 1;
  }
  expect(pieces).toBeGreaterThan(1);
  const events = text.split("\n\n").filter(Boolean).map((event) => event.replace(/^data: /, ""));
  expect(events.pop()).toBe("[DONE]");
  const choices = events.map((event) => JSON.parse(event).choices[0]).filter(Boolean);
  const answer = choices.map((choice) => choice.delta.content ?? "").join("");
  expect(choices.filter((choice) => choice.finish_reason)).toHaveLength(1);

  const whole = await (await ask(satchel, "chat", question({ max_tokens: 12 }))).json();
  expect(answer).toBe(whole.choices[0].message.content);
});

test("a real model that is left in the middle of its answer is there for the next question", async ({ satchel }) => {
  const leaving = new AbortController();
  const endless = await ask(satchel, "chat", question({ stream: true, max_tokens: 8_000, ignore_eos: true }), leaving.signal);
  const reader = endless.body!.getReader();
  expect((await reader.read()).done).toBe(false);
  leaving.abort();
  // It answers one question at a time, and the first answer would take longer than a test may.
  const next = await ask(satchel, "chat", question({ max_tokens: 4 }));
  expect((await next.json()).choices[0].message.content.length).toBeGreaterThan(0);
});

// R260, R194
test("a chat with a real model streams in the page, can be stopped, goes on, and asks nobody but the own server", async ({ page, profile, satchel }) => {
  // Loading and asking a model takes a while on a busy machine.
  test.setTimeout(300_000);
  const [{ id }] = (await (await ask(satchel, "models")).json()).models;
  await open(page, satchel.address, id);
  const stored = () =>
    page.evaluate(async (chat) => (await (await fetch(`/local/chats/${chat}`)).json()).messages, chatOf(page));
  await send(page, "Tell me the whole story of France.");
  const coming = page.getByTestId("answer-coming");
  // It says so from the first word on.
  await expect(coming.getByRole("status")).toContainText("Answering", { timeout: 120_000 });
  await page.getByTestId("stop-button").click();
  await expect(coming).toHaveCount(0);
  await expect.poll(async () => (await stored()).at(-1).metadata?.ended).toBe("stopped");
  const chat = page.url();

  await page.goto(`${satchel.origin}/ui/settings#models`);
  await ready(page);
  await setting(page, "model-max-tokens", "12");
  await page.goto(chat);
  await ready(page);
  await send(page, "What is the capital of France?");
  await expect.poll(async () => (await stored()).length, { timeout: 120_000 }).toBe(4);
  const last = (await stored()).at(-1);
  expect(last).toMatchObject({ role: "assistant", metadata: { finish: expect.stringMatching(/^(stop|length)$/) } });
  await expect(answers(page).last()).toContainText(last.content.trim().split(/\s+/)[0].replace(/\W/g, ""));
  const elsewhere = profile.requests.filter((address) => !/^(data|blob|about):/.test(address) && new URL(address).origin !== satchel.origin);
  expect(elsewhere).toEqual([]);
});
