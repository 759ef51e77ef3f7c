// Conversations with calls of tools in them, as a model's turn leaves them: an assistant's message that asks for the calls, their records, and
// a tool's message for each. The rows are written the way the app stores them.
import type { Page } from "@playwright/test";

/** The record of a call, as far as a journey cares. */
export type SeededCall = {
  tool_id: string;
  args?: unknown;
  result?: unknown;
  render_plan?: unknown;
  status?: "running" | "success" | "error";
  error?: string;
  [field: string]: unknown;
};

/** Puts calls at the end of a chat that has a message, each asked for by a message of its own. Contents are stored too, as text. */
export function seed(page: Page, chat: string, calls: SeededCall[], contents: string[] = []): Promise<void> {
  return page.evaluate(
    async ([chat, calls, contents]) => {
      const settled = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const hex = async (bytes: Uint8Array<ArrayBuffer>) =>
        [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      const blobs = await Promise.all(
        contents.map(async (text) => {
          const bytes = new TextEncoder().encode(text);
          return [await hex(bytes), bytes] as const;
        }),
      );
      const database = await settled(indexedDB.open("satchel"));
      const transaction = database.transaction(["messages", "tool_calls", "blobs"], "readwrite");
      const messages = transaction.objectStore("messages");
      const rows = (await settled(messages.index("chat_id").getAll(chat))) as { fields: string; stamps: string }[];
      const said = rows.map((row) => JSON.parse(row.fields)).sort((one, other) => (one.created_at < other.created_at ? -1 : 1));
      const [stamp] = Object.values(JSON.parse(rows[0].stamps)) as string[];
      let parent: string = said.at(-1).id;
      let at = Date.parse(said.at(-1).created_at);
      const id = () => `0198c5a4-7c1e-7000-8000-${crypto.randomUUID().slice(-12)}`;
      const put = (store: string, fields: Record<string, unknown>, more: object = {}) => {
        const stamps = Object.fromEntries(Object.keys(fields).map((field) => [field, stamp]));
        const row = { fields: JSON.stringify(fields), stamps: JSON.stringify(stamps), by_chat_id: chat, ...more };
        transaction.objectStore(store).put(row, fields.id as string);
      };
      const say = (fields: Record<string, unknown>) => {
        at += 1000;
        const message = { id: id(), chat_id: chat, parent_id: parent, created_at: new Date(at).toISOString(), ...fields };
        put("messages", message);
        parent = message.id;
        return message.id;
      };
      for (const [name, bytes] of blobs) transaction.objectStore("blobs").put(bytes, name);
      for (const call of calls as any[]) {
        const call_id = call.call_id ?? crypto.randomUUID();
        const name = call.tool_id.replace(":", "__");
        const asked = { id: call_id, type: "function", function: { name, arguments: JSON.stringify(call.args ?? {}) } };
        const message_id = say({ role: "assistant", content: "", tool_calls: [asked] });
        const now = new Date(at).toISOString();
        const record = {
          id: call.id ?? id(), chat_id: chat, args: {}, result: null, render_plan: null, status: "success", error: null, error_kind: null,
          started_at: now, finished_at: call.status === "running" ? null : now, pre_manifest_id: null, post_manifest_id: null,
          traceback: null, output: null, displays: [], notes: [], spilled: null, ...call, call_id, message_id,
        };
        put("tool_calls", record, { by_call_id: call_id });
        if (call.status !== "running") {
          say({ role: "tool", content: JSON.stringify(call.result ?? { error: call.error }), tool_call_id: call_id });
        }
      }
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      database.close();
    },
    [chat, calls, contents] as const,
  );
}

/** Puts messages at the end of a chat that has one, each below the one before: who says it, and what. */
export function say(page: Page, chat: string, said: [role: "user" | "assistant", content: string][]): Promise<void> {
  return page.evaluate(
    async ([chat, said]) => {
      const settled = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await settled(indexedDB.open("satchel"));
      const transaction = database.transaction("messages", "readwrite");
      const messages = transaction.objectStore("messages");
      const [{ fields, stamps }] = (await settled(messages.index("chat_id").getAll(chat))) as { fields: string; stamps: string }[];
      const first = JSON.parse(fields);
      const [stamp] = Object.values(JSON.parse(stamps)) as string[];
      let parent_id = first.id;
      said.forEach(([role, content], at) => {
        const created_at = new Date(Date.parse(first.created_at) + (at + 1) * 1_000).toISOString();
        const message = { id: `0198c5a4-7c1e-7000-8000-${at.toString(16).padStart(12, "0")}`, chat_id: chat, parent_id, role, content, created_at };
        const stamped = Object.fromEntries(Object.keys(message).map((field) => [field, stamp]));
        messages.put({ fields: JSON.stringify(message), stamps: JSON.stringify(stamped), by_chat_id: chat }, message.id);
        parent_id = message.id;
      });
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      database.close();
    },
    [chat, said] as const,
  );
}

/** Gives calls that were made directly in a chat their messages, in the order in which they were made. */
export async function adopt(page: Page, chat: string): Promise<void> {
  const rows = await page.evaluate(async (chat) => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const asking = database.transaction("tool_calls").objectStore("tool_calls").index("chat_id").getAll(chat);
    const rows = await new Promise<{ fields: string }[]>((resolve) => (asking.onsuccess = () => resolve(asking.result)));
    database.close();
    return rows.map((row) => JSON.parse(row.fields)).filter((row) => !row.message_id);
  }, chat);
  rows.sort((one, other) => (one.started_at < other.started_at ? -1 : 1));
  await seed(page, chat, rows);
}

/** Begins a chat with one message, and opens it; its id. */
export async function begin(page: Page, words = "Show me"): Promise<string> {
  await page.getByTestId("chat-input").fill(words);
  await page.getByTestId("send-button").click();
  await page.waitForURL(/\/ui\/chat\/[0-9a-f-]{36}$/);
  await page.getByTestId("message-user").waitFor();
  return page.url().split("/").pop() as string;
}
