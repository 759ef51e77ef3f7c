// The network as a tool sees it: `fetch` asks the app, which asks the user and fetches. The browser's own `fetch` is closed here by
// the page's policy, and nothing in this file leads to it.
import type { Port } from "./port";
import type { Fetched } from "./protocol";

/** Statuses whose answer has no body. */
const BODILESS = [101, 204, 205, 304];

interface Waiting {
  resolve(response: Response): void;
  reject(error: unknown): void;
}

export class Network {
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;
  /** Whether the cage belongs to a toolset: nothing is granted before. */
  open = false;

  constructor(private readonly port: Port) {}

  /** What tools find as `fetch`. */
  readonly fetch = async (input: RequestInfo | URL, options?: RequestInit): Promise<Response> => {
    const request = new Request(input, options);
    if (!this.open) throw new TypeError("this cage serves no toolset, so no host is granted to it");
    if (!/^https?:/.test(request.url)) {
      throw new TypeError(`${request.url} cannot be fetched: a tool reaches hosts by http and https only`);
    }
    const body = await request.arrayBuffer();
    request.signal.throwIfAborted();
    this.count += 1;
    const fetch = this.count;
    const { method, url } = request;
    const answer = new Promise<Response>((resolve, reject) => {
      this.waiting.set(fetch, { resolve, reject });
      request.signal.addEventListener("abort", () => {
        this.waiting.delete(fetch);
        reject(request.signal.reason);
      });
    });
    this.port.say({ type: "fetch", fetch, method, url, headers: [...request.headers] }, body.byteLength ? body : undefined);
    return answer;
  };

  /** Takes the answer of the app; one that nobody waits for any more is dropped. */
  hear({ fetch, answer }: Fetched, buffer: ArrayBuffer): void {
    const waiting = this.waiting.get(fetch);
    if (!waiting) return;
    this.waiting.delete(fetch);
    if (answer.type === "refused") return waiting.reject(new TypeError(answer.message));
    try {
      const body = BODILESS.includes(answer.status) ? null : buffer;
      const { status, status_text: statusText, headers } = answer;
      const response = new Response(body, { status, statusText, headers });
      Object.defineProperty(response, "url", { value: answer.url });
      waiting.resolve(response);
    } catch (error) {
      waiting.reject(error);
    }
  }
}

/** Takes the place of `XMLHttpRequest` where Python cannot wait: blocking ways end here, and say why. */
export class NoBlockingRequest {
  constructor() {
    throw new TypeError(WITHOUT_WAITING);
  }
}

export const WITHOUT_WAITING =
  "this browser cannot let Python wait for the network (it has no JSPI): use an async function with pyodide.http.pyfetch, or a " +
  "browser that has it, such as Chrome or Edge";
