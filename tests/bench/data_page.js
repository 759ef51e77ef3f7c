// The arms that run in the browser: the app's own code (satchelBench, see app/src/bench.rs) and its peers, each with a time in milliseconds.
import init from "/satchel-bench.js";
import { createSHA256 } from "/hash-wasm.js";

await init();

const ask = (errand, bytes) => satchelBench(JSON.stringify(errand), bytes);

async function timed(act) {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The database of the hand-written peer: contents by name, and manifests. */
async function openByHand(name) {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore("blobs");
    opening.result.createObjectStore("manifests");
  };
  return settled(opening);
}

/** What one would write without any of this: all contents and a manifest, in one strict transaction. */
async function storeByHand(database, blobs, manifest) {
  const transaction = database.transaction(["blobs", "manifests"], "readwrite", { durability: "strict" });
  const store = transaction.objectStore("blobs");
  for (const [name, bytes] of blobs) store.put(bytes, name);
  transaction.objectStore("manifests").put(manifest, manifest.id);
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Contents of which no two are equal: hexadecimal digits, which packed take half the room, as the app's do. */
function contents(count, bytes) {
  return Array.from({ length: count }, () => {
    const content = new Uint8Array(bytes);
    for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(content.subarray(at, Math.min(bytes, at + 65_536)));
    for (let at = 0; at < bytes; at += 1) content[at] = "0123456789abcdef".charCodeAt(content[at] & 15);
    return content;
  });
}

const hexadecimal = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Contents with their hashes as names: a name decides where a database has to put what it names, so both have the same kind. */
async function named(count, bytes) {
  const pieces = contents(count, bytes);
  const hashes = await Promise.all(pieces.map((piece) => crypto.subtle.digest("SHA-256", piece)));
  return pieces.map((piece, at) => [hexadecimal(hashes[at]), piece]);
}

const hashers = {
  async subtle(pieces) {
    await Promise.all(pieces.map((bytes) => crypto.subtle.digest("SHA-256", bytes)));
  },
  async hash_wasm(pieces) {
    const hasher = await createSHA256();
    for (const bytes of pieces) hasher.init().update(bytes).digest("binary");
  },
};

let byHand;
let prepared;

globalThis.data = {
  ask,
  timed: (errand) => timed(() => ask(errand)),
  async prepareByHand(name, count, bytes) {
    byHand ??= await openByHand(name);
    prepared = await named(count, bytes);
  },
  storeByHand: (version) =>
    timed(() => storeByHand(byHand, prepared, { id: String(version), files: prepared.map(([name]) => name) })),
  makePieces: (count, bytes) => void (prepared = contents(count, bytes)),
  hash: (by) => timed(() => hashers[by](prepared)),
  /** Bytes come and go by the server, since they are too many for the driver's own channel. */
  async makeBundle(address) {
    await fetch(address, { method: "PUT", body: await ask({ do: "bundle" }) });
  },
  async import(address) {
    const bytes = new Uint8Array(await (await fetch(address)).arrayBuffer());
    return timed(() => ask({ do: "import" }, bytes));
  },
};
document.documentElement.dataset.ready = "true";
