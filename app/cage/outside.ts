// What the Python modules of the cage find in `_satchel_js`. Tools can find it too: it gives nothing that they do not have.
import { WITHOUT_WAITING } from "./network";
import type { Output } from "./output";
import type { Port } from "./port";
import { importFrom, type RuntimeFiles } from "./runtime";

export class Outside {
  readonly withoutWaiting = WITHOUT_WAITING;
  /** Is there when Python is. */
  output?: Output;

  constructor(files: RuntimeFiles, port: Port) {
    // Not methods, so that Python has them without this object.
    this.display = (bundle) => {
      this.output?.tell();
      this.output?.whileRunning((request) => port.sayText(`{"type":"display","request":${request},"bundle":${bundle}}`));
    };
    this.loadPart = (name) => importFrom(files, name);
  }

  /** Shows something; the bundle is a JSON text. */
  display: (bundle: string) => void;
  /** A part of the runtime that is not always needed, such as `shell.js`, imported when it is. */
  loadPart: (name: string) => Promise<any>;
}
