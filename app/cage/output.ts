// What a running function writes: told while it runs, as whole characters, up to a limit, and from there on kept in a file of the
// workspace. Python holds this thread while it computes, so a piece goes out when it is written, if it is large or the last one is
// some time ago, and the rest when the thread is free or the call has ended.
import type { Port } from "./port";
import type { FileSystem, Stream } from "./pyodide";

const PIECE_BYTES = 16_384;
const PIECE_MILLIS = 50;
/** A function that prints without end fills this much of the memory and no more. */
const OVERFLOW_BYTES = 64 * 1024 * 1024;

type StreamName = "stdout" | "stderr";

/** Where the output of one call goes. */
interface Target {
  request: number;
  /** Bytes that may still be told. */
  left: number;
  /** From the top of the workspace. */
  overflowPath: string;
  overflow?: { stream: Stream; left: number };
}

/** What one of the two streams has not told yet. */
class Pending {
  private pieces: string[] = [];
  private decoder = new TextDecoder();
  bytes = 0;

  add(bytes: Uint8Array): void {
    this.pieces.push(this.decoder.decode(bytes, { stream: true }));
    this.bytes += bytes.length;
  }

  take(): string {
    const text = this.pieces.join("");
    this.pieces = [];
    this.bytes = 0;
    return text;
  }

  /** What is left of a character that was never finished. */
  end(): void {
    this.pieces.push(this.decoder.decode());
  }
}

export class Output {
  private target?: Target;
  private readonly pending = { stdout: new Pending(), stderr: new Pending() };
  private toldAt = 0;
  private timer?: ReturnType<typeof setTimeout>;

  constructor(
    private readonly port: Port,
    private readonly fs: FileSystem,
  ) {}

  begin(request: number, limit: number, overflowPath: string): void {
    this.target = { request, left: limit, overflowPath };
    this.toldAt = 0;
  }

  /** Tells the rest. What is written between two calls belongs to none and is dropped. */
  end(): void {
    const { target } = this;
    if (!target) return;
    this.pending.stdout.end();
    this.pending.stderr.end();
    this.tell();
    if (target.overflow) {
      this.fs.close(target.overflow.stream);
      const cut = target.overflow.left > 0 ? "" : `; what came after ${OVERFLOW_BYTES / 1024 / 1024} MB of it was dropped`;
      const text = `\n[The output was longer than is shown here; the rest is in ${target.overflowPath}${cut}]\n`;
      this.port.say({ type: "output", request: target.request, stream: "stderr", text });
    }
    this.target = undefined;
  }

  /** Takes what Python writes; the view is into its memory, and good only now. */
  write(name: StreamName, bytes: Uint8Array): number {
    const { target } = this;
    if (!target) return bytes.length;
    const cut = bytes.length <= target.left ? bytes.length : characterEnd(bytes, target.left);
    if (cut > 0) {
      this.pending[name].add(bytes.subarray(0, cut));
      target.left = Math.max(0, target.left - cut);
      this.tellIfDue();
    }
    if (cut < bytes.length) {
      target.left = 0;
      this.keep(target, bytes.subarray(cut));
    }
    return bytes.length;
  }

  private tellIfDue(): void {
    const { stdout, stderr } = this.pending;
    if (stdout.bytes + stderr.bytes >= PIECE_BYTES || performance.now() - this.toldAt >= PIECE_MILLIS) this.tell();
    else this.timer ??= setTimeout(() => this.tell(), PIECE_MILLIS);
  }

  /** Also used before anything else is told, so that it comes in the order in which it happened. */
  tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.toldAt = performance.now();
    for (const stream of ["stdout", "stderr"] as const) {
      const text = this.pending[stream].take();
      if (text && this.target) this.port.say({ type: "output", request: this.target.request, stream, text });
    }
  }

  /** Does something with the request that is running, if there is one. */
  whileRunning(act: (request: number) => void): void {
    if (this.target) act(this.target.request);
  }

  /** Appends to the file of the workspace. */
  private keep(target: Target, bytes: Uint8Array): void {
    if (!target.overflow) {
      const path = `/workspace/${target.overflowPath}`;
      this.fs.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      target.overflow = { stream: this.fs.open(path, "a"), left: OVERFLOW_BYTES };
    }
    const { overflow } = target;
    const kept = Math.min(bytes.length, overflow.left);
    if (kept > 0) this.fs.write(overflow.stream, bytes, 0, kept);
    overflow.left -= kept;
  }
}

/** Where the character ends that stands at `limit`: before the limit, or behind it where it began in an earlier piece. */
function characterEnd(bytes: Uint8Array, limit: number): number {
  const inside = (at: number) => at < bytes.length && (bytes[at] & 0xc0) === 0x80;
  let end = limit;
  while (end > 0 && inside(end)) end -= 1;
  if (end > 0 || !inside(0)) return end;
  while (inside(end)) end += 1;
  return end;
}
