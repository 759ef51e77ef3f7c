// Files that stand in one buffer, one after the other.
import type { FileSpan } from "./protocol";
import { Refusal } from "./refusal";

/** The files of a buffer, as views into it. Throws where the sizes do not fit. */
export function* filesOf(spans: FileSpan[], buffer: ArrayBuffer, from = 0): Generator<[string, Uint8Array]> {
  let start = from;
  for (const { path, size } of spans) {
    if (start + size > buffer.byteLength) throw new Refusal(`the buffer ends before the file ${path}`);
    yield [path, new Uint8Array(buffer, start, size)];
    start += size;
  }
}

/** How many bytes some files have. */
export function bytesOf(spans: FileSpan[]): number {
  return spans.reduce((sum, { size }) => sum + size, 0);
}

/** One buffer with copies of the contents, one after the other. */
export function joined(contents: Uint8Array[]): ArrayBuffer {
  const buffer = new Uint8Array(contents.reduce((sum, bytes) => sum + bytes.length, 0));
  let start = 0;
  for (const bytes of contents) {
    buffer.set(bytes, start);
    start += bytes.length;
  }
  return buffer.buffer;
}
