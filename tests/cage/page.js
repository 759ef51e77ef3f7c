// The app's side of the port, as small as can be: runs in a page of the app's origin, opens cages and keeps what they say.
(() => {
  const cages = new Map();
  let files;

  const bytesFrom = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const toBase64 = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  };

  /** The runtime's files by their bare names, fetched once for all cages. */
  async function runtime() {
    const build = await (await fetch("/satchel-build.json")).json();
    const listed = build.files.filter(({ path }) => /^\/vendor\/(pyodide|cage)-/.test(path));
    const load = async ({ path }) => [path.split("/").pop(), new Uint8Array(await (await fetch(path)).arrayBuffer())];
    return Promise.all(listed.map(load));
  }

  /** Files as spans and one buffer. */
  function joined(named) {
    const buffer = new Uint8Array(named.reduce((sum, [, bytes]) => sum + bytes.length, 0));
    let start = 0;
    for (const [, bytes] of named) {
      buffer.set(bytes, start);
      start += bytes.length;
    }
    return { spans: named.map(([path, bytes]) => ({ path, size: bytes.length })), buffer: buffer.buffer };
  }

  class Cage {
    heard = [];
    fetches = [];
    hosts = {};
    waiting = new Map();
    count = 0;
    ended = undefined;

    static async open(leftOut, without) {
      files ??= runtime();
      const cage = new Cage();
      cage.frame = document.createElement("iframe");
      const loaded = new Promise((resolve) =>
        addEventListener("message", function hear(event) {
          if (event.source !== cage.frame.contentWindow) return;
          removeEventListener("message", hear);
          resolve(event.origin);
        }),
      );
      cage.frame.src = "/cage.html";
      document.documentElement.append(cage.frame);
      if ((await loaded) !== "null") throw new Error("the frame is not closed");
      const channel = new MessageChannel();
      cage.port = channel.port1;
      cage.frame.contentWindow.postMessage({ type: "port" }, "*", [channel.port2]);
      const started = new Promise((resolve) => (cage.started = resolve));
      cage.port.onmessage = (event) => cage.hear(event.data);
      const given = (await files).filter(([name]) => !leftOut.includes(name));
      // A browser that lacks something is one in which the program's first line takes it away.
      const first = new TextEncoder().encode(without.map((name) => `delete ${name};`).join("") + "\n");
      const program = ([name, bytes]) => [name, name === "cage.js" ? new Uint8Array([...first, ...bytes]) : bytes];
      const { spans, buffer } = joined(given.map(program));
      cage.post({ type: "start", files: spans }, buffer);
      return { cage, ready: await started };
    }

    post(message, buffer) {
      this.port.postMessage(buffer ? [JSON.stringify(message), buffer] : [JSON.stringify(message)], buffer ? [buffer] : []);
    }

    hear([text, buffer]) {
      const message = JSON.parse(text);
      if (message.type === "ready") return this.started(message);
      if (message.type === "failed") {
        this.started(message);
        for (const { resolve } of this.waiting.values()) resolve(message);
        return this.waiting.clear();
      }
      if (message.type === "fetch") return this.answer(message, buffer);
      if (message.type === "changed") {
        let start = 0;
        message.contents = message.files.map(({ size }) => {
          const bytes = new Uint8Array(buffer, start, size);
          start += size;
          return bytes;
        });
      }
      const asked = this.waiting.get(message.request);
      if (!asked) return;
      if (["output", "display", "changed"].includes(message.type)) {
        message.at = performance.now() - asked.at;
        asked.said.push(message);
      } else {
        this.waiting.delete(message.request);
        asked.resolve(message);
      }
    }

    /** Hosts are granted by their whole address. */
    answer({ fetch, method, url, headers }, buffer) {
      this.fetches.push({ method, url, headers, body: buffer ? new TextDecoder().decode(buffer) : "" });
      const host = this.hosts[url];
      if (!host) {
        const message = `${new URL(url).host} is not among the hosts of this toolset`;
        return this.post({ type: "fetched", fetch, answer: { type: "refused", message } });
      }
      const { status = 200, status_text = "OK", headers: sent = [], body = "" } = host;
      const answer = { type: "response", status, status_text, headers: sent, url };
      this.post({ type: "fetched", fetch, answer }, new TextEncoder().encode(body).buffer);
    }

    /** Asks for something; gives the last answer and what was said before it. */
    async request(message, named = []) {
      this.count += 1;
      const request = this.count;
      const said = [];
      const { spans, buffer } = joined(named);
      const at = performance.now();
      const answer = new Promise((resolve) => this.waiting.set(request, { resolve, said, at }));
      this.post({ ...message(spans), request }, buffer.byteLength ? buffer : undefined);
      const last = await answer;
      return { last, said, millis: performance.now() - at };
    }
  }

  globalThis.cagePage = {
    async open(leftOut, without) {
      const { cage, ready } = await Cage.open(leftOut, without);
      const id = cages.size + 1;
      cages.set(id, cage);
      return { id, ready };
    },
    close(id) {
      cages.get(id).frame.remove();
    },
    hosts(id, hosts) {
      cages.get(id).hosts = hosts;
    },
    fetches: (id) => cages.get(id).fetches.splice(0),
    async equip(id, files, wheels) {
      const named = (given) => given.map(([path, base64]) => [path, bytesFrom(base64)]);
      const message = (spans) => ({ type: "equip", files: spans.slice(0, files.length), wheels: spans.slice(files.length) });
      return (await cages.get(id).request(message, [...named(files), ...named(wheels)])).last;
    },
    async materialise(id, write, remove) {
      const named = write.map(([path, base64]) => [path, bytesFrom(base64)]);
      const { last, millis } = await cages.get(id).request((spans) => ({ type: "materialise", remove, write: spans }), named);
      return { ...last, millis };
    },
    /** Many small files, made here: they would take longer to be told. */
    async materialiseMany(id, count, size) {
      const named = [];
      for (let n = 0; n < count; n += 1) named.push([`many/${n % 50}/file-${n}.txt`, new Uint8Array(size).fill(65 + (n % 26))]);
      const { last, millis } = await cages.get(id).request((spans) => ({ type: "materialise", remove: [], write: spans }), named);
      return { ...last, millis };
    },
    async call(id, text) {
      const cage = cages.get(id);
      // The text goes as it is, so that a number arrives as it was written.
      cage.count += 1;
      const request = cage.count;
      const said = [];
      const at = performance.now();
      const answer = new Promise((resolve) => cage.waiting.set(request, { resolve, said, at }));
      cage.port.postMessage([text.replace('"request":0', `"request":${request}`)]);
      const last = await answer;
      const changed = said.filter(({ type }) => type === "changed");
      return {
        ...last,
        millis: performance.now() - at,
        said: said.filter(({ type }) => type !== "changed"),
        pieces: changed.map(({ contents }) => contents.reduce((sum, bytes) => sum + bytes.length, 0)),
        changed: changed.flatMap(({ files, contents }) =>
          files.map(({ path }, index) => [path, contents[index].length > 65536 ? `${contents[index].length} bytes` : toBase64(contents[index])]),
        ),
      };
    },
    async plain(id, message) {
      return (await cages.get(id).request(() => message)).last;
    },
    /** Says something that is no message. */
    raw(id, data) {
      cages.get(id).port.postMessage(data);
    },
  };
})();
