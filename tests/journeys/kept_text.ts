// What a page keeps, as text, to see that something is not in it.
import type { Page } from "@playwright/test";

/** Everything that is in IndexedDB and in the two web storages, as one text; bytes are letters. */
export const keptText = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const opening = indexedDB.open("satchel");
    const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
    const text = (row: unknown): string => {
      if (row instanceof Uint8Array) return new TextDecoder("latin1").decode(row);
      return Array.isArray(row) ? row.map(text).join() : (JSON.stringify(row) ?? "");
    };
    for (const name of database.objectStoreNames) {
      const reading = database.transaction(name).objectStore(name).getAll();
      const rows: unknown[] = await new Promise((resolve) => (reading.onsuccess = () => resolve(reading.result)));
      texts.push(...rows.map(text));
    }
    database.close();
    return texts.join("\n");
  });
