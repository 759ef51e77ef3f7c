// Runs a model in the page: llama.cpp in a worker of its own, behind the few words that app/src/browser/page_model.rs knows.
//
// Nothing is fetched from here: the file of the model and the WebAssembly are handed in, so that all of it works with no network.

/*!
 * wllama, Copyright (c) 2024 Xuan Son NGUYEN, and llama.cpp with ggml, Copyright (c) 2023-2026 The ggml authors.
 * MIT License: Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use,
 * copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
 * THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
import { Wllama } from "@wllama/wllama";

/** What the browser needs and does not have: the first of what is missing, or nothing. */
export function lacks(): "64-bit memory" | "SIMD" | "exceptions" | undefined {
  const isValid = (...code: number[]) => WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...code]));
  try {
    new WebAssembly.Memory({ address: "i64", initial: 1n } as unknown as WebAssembly.MemoryDescriptor);
  } catch {
    return "64-bit memory";
  }
  if (!isValid(1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11)) return "SIMD";
  if (!isValid(1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11)) return "exceptions";
}

/** How many words of a prompt are read at a time: a request that nobody wants any more is given up between two such steps. */
const BATCH = 128;
/** How many lines of what llama.cpp complains of are kept, to say what went wrong. */
const KEPT_LINES = 4;

/** A model that is in memory. */
export class Engine {
  private constructor(
    private readonly wllama: Wllama,
    private readonly complaints: Complaints,
  ) {}

  /** Loads the model of a file; `wasm` is llama.cpp. */
  static async load(file: Blob, wasm: Uint8Array<ArrayBuffer>, contextTokens: number): Promise<Engine> {
    const address = URL.createObjectURL(new Blob([wasm], { type: "application/wasm" }));
    const complaints = new Complaints();
    const wllama = new Wllama({ default: address }, { logger: complaints.logger });
    // For browsers without what it needs the package would fetch another build from a CDN.
    wllama.setCompat(null);
    try {
      const options = { n_ctx: contextTokens, n_batch: BATCH, n_ubatch: BATCH, n_parallel: 1, warmup: false, jinja: true };
      await complaints.over(wllama.loadModel([file], options));
      return new Engine(wllama, complaints);
    } catch (error) {
      await wllama.exit();
      throw error;
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  /** Answers a request of OpenAI's shape; each chunk is given as JSON. */
  async ask(body: string, onChunk: (chunk: string) => void, signal: AbortSignal): Promise<void> {
    this.complaints.forget();
    // Until it is given up between two steps, nobody listens any more.
    const onData = (chunk: unknown) => signal.aborted || onChunk(JSON.stringify(chunk));
    await this.complaints.over(
      this.wllama.createChatCompletion({ ...JSON.parse(body), stream: true, onData, abortSignal: signal }),
    );
  }

  /** Ends it, whatever it does. */
  async close(): Promise<void> {
    await this.wllama.exit();
  }
}

/** What llama.cpp complains of. It is told only where something fails: most of it is of no interest. */
class Complaints {
  private lines: string[] = [];
  private died: (error: Error) => void = () => {};
  /** Rejects when the worker of llama.cpp ends by itself, which the package does not tell. */
  private readonly death = new Promise<never>((_, reject) => (this.died = reject));

  readonly logger = {
    debug: () => {},
    log: () => {},
    warn: (...words: unknown[]) => this.keep(words),
    error: (...words: unknown[]) => {
      const event = words.find((word) => word instanceof ErrorEvent);
      if (event) this.died(new Error(event.message || "its worker ended"));
      else this.keep(words);
    },
  };

  constructor() {
    // Most never die.
    this.death.catch(() => {});
  }

  forget(): void {
    this.lines = [];
  }

  /** Waits for some work; what it fails with says what was complained of. */
  async over(work: Promise<unknown>): Promise<void> {
    try {
      await Promise.race([work, this.death]);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      throw new Error([words, ...this.lines].join("; "), { cause: error });
    }
  }

  private keep(words: unknown[]): void {
    const line = words.map((word) => (word instanceof Error ? word.message : String(word))).join(" ").trim();
    if (line) this.lines = [...this.lines, line].slice(-KEPT_LINES);
  }
}
