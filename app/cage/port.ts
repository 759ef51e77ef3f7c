// The port to the app: a message is an array of a JSON text and at most one buffer, which is moved.
import type { FromCage } from "./protocol";

/** Half of a surrogate pair is no text for the other side, which would drop the whole message. */
const wellFormed = (_key: string, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value);

export class Port {
  constructor(private readonly port: MessagePort) {}

  say(message: FromCage, buffer?: ArrayBuffer): void {
    this.sayText(JSON.stringify(message, wellFormed), buffer);
  }

  /** Says what is a JSON text already. */
  sayText(text: string, buffer?: ArrayBuffer): void {
    if (buffer) this.port.postMessage([text, buffer], [buffer]);
    else this.port.postMessage([text]);
  }

  /** From now on messages go to `hear`, those first that came in the meantime. A message that is none is dropped. */
  listen(waiting: MessageEvent[], hear: (text: string, buffer: ArrayBuffer) => void): void {
    const take = (event: MessageEvent) => {
      const [text, buffer] = Array.isArray(event.data) ? event.data : [];
      if (typeof text === "string") hear(text, buffer instanceof ArrayBuffer ? buffer : new ArrayBuffer(0));
    };
    this.port.onmessage = take;
    for (const event of waiting.splice(0)) take(event);
  }
}
