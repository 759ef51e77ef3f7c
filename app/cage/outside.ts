// What the Python modules of the cage find in `_satchel_js`. Tools can find it too: it gives nothing that they do not have.
import { WITHOUT_WAITING } from "./network";
import type { Output } from "./output";
import type { Port } from "./port";
import { bytesOf, importFrom, type RuntimeFiles } from "./runtime";

/** The parts of the runtime that are imported when they are first needed. */
const PARTS = ["shell.js"];

export class Outside {
  readonly withoutWaiting = WITHOUT_WAITING;
  /** Is there when Python is. */
  output?: Output;

  constructor(files: RuntimeFiles, port: Port) {
    // Copies, so that the buffer with the whole runtime goes when Python is loaded.
    const parts: RuntimeFiles = new Map();
    for (const name of PARTS) if (files.has(name)) parts.set(name, bytesOf(files, name).slice());
    // Not methods, so that Python has them without this object.
    this.display = (bundle) => {
      this.output?.tell();
      this.output?.whileRunning((request) => port.sayText(`{"type":"display","request":${request},"bundle":${bundle}}`));
    };
    this.loadPart = (name) => importFrom(parts, name);
  }

  /** Shows something; the bundle is a JSON text. */
  display: (bundle: string) => void;
  /** A part of the runtime that is not always needed, imported when it is. */
  loadPart: (name: string) => Promise<any>;
}
