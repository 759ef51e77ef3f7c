// Text in which bytes survive. The shell carries text between its commands and bytes at its ends; what is no UTF-8 would be lost
// on the way. So its TextDecoder and TextEncoder are these: a byte that is no text becomes a lone surrogate, U+DC80 to U+DCFF, and
// that surrogate becomes the byte again, the way Python's `surrogateescape` has it. The build puts them into the shell's code in
// place of the browser's, and nowhere else.
const strict = new globalThis.TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const plain = new globalThis.TextEncoder();
const ESCAPE = 0xdc00;
const escaped = /(?<![\ud800-\udbff])[\udc80-\udcff]/;

/** How many bytes the character that begins at `start` has; nothing where none begins there. */
function lengthOfCharacter(bytes: Uint8Array, start: number): number {
  const first = bytes[start]!;
  if (first < 0x80) return 1;
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0 || start + length > bytes.length) return 0;
  for (let index = start + 1; index < start + length; index++) if ((bytes[index]! & 0xc0) !== 0x80) return 0;
  const second = bytes[start + 1]!;
  const overlong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const beyond = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : length;
}

/** Bytes as text from which [`encode`] gives the same bytes again. */
export function decode(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    const pieces: string[] = [];
    let begin = 0;
    let at = 0;
    while (at < bytes.length) {
      const length = lengthOfCharacter(bytes, at);
      if (length > 0) {
        at += length;
        continue;
      }
      if (at > begin) pieces.push(strict.decode(bytes.subarray(begin, at)));
      pieces.push(String.fromCharCode(ESCAPE + bytes[at]!));
      at += 1;
      begin = at;
    }
    if (at > begin) pieces.push(strict.decode(bytes.subarray(begin, at)));
    return pieces.join("");
  }
}

/** Text as bytes. */
export function encode(text: string): Uint8Array {
  if (!escaped.test(text)) return plain.encode(text);
  const pieces = text.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/);
  const parts = pieces.map((piece, index) =>
    index % 2 === 1 ? Uint8Array.of(piece.charCodeAt(0) - ESCAPE) : plain.encode(piece),
  );
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Bytes as a text of which each character is one byte. */
export function latin1(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return pieces.join("");
}

/** The bytes of a text of which each character is one byte; of any other text, its UTF-8. */
export function bytesOfLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0xff) return encode(text);
    bytes[at] = code;
  }
  return bytes;
}

class LosslessDecoder {
  private readonly other?: globalThis.TextDecoder;

  constructor(label = "utf-8", options?: TextDecoderOptions) {
    if (!/^utf-?8$/i.test(label)) this.other = new globalThis.TextDecoder(label, options);
  }

  decode(input?: Uint8Array): string {
    if (!input) return "";
    return this.other ? this.other.decode(input) : decode(input);
  }
}

class LosslessEncoder {
  encode(text = ""): Uint8Array {
    return encode(text);
  }
}

export { LosslessDecoder as TextDecoder, LosslessEncoder as TextEncoder };
