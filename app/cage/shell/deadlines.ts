// Ends Python that runs too long, from within. Python looks from time to time whether it was interrupted, by reading the first place
// of a buffer. Another thread would write there; there is none, so the place itself looks at the clock.
import type { Pyodide } from "./pyodide";

const INTERRUPT = 2;
/** After how many milliseconds a script that goes on is interrupted again. Between, what was begun can be put back. */
const PAUSE = 1000;

export class Deadlines {
  /** When each of the runs that are under way, one within the other, has to end. */
  private readonly ends: number[] = [];
  private readonly place: object;
  private notBefore = 0;

  constructor(private readonly pyodide: Pyodide) {
    this.place = Object.defineProperty({}, "0", { get: () => this.look(), set: () => {} });
  }

  /** Interrupts nothing any more until the next run: the script has ended, and the interpreter is being put back. */
  readonly calm = (): void => {
    this.notBefore = Infinity;
  };

  private look(): number {
    const now = performance.now();
    if (now < this.notBefore || now < Math.min(...this.ends)) return 0;
    this.notBefore = now + PAUSE;
    return INTERRUPT;
  }

  /** Does it, and interrupts Python while it has not ended in time. */
  async within<T>(milliseconds: number, act: () => Promise<T>): Promise<T> {
    if (milliseconds === Infinity) return act();
    this.ends.push(performance.now() + milliseconds);
    this.notBefore = 0;
    this.pyodide.setInterruptBuffer(this.place);
    try {
      return await act();
    } finally {
      this.ends.pop();
      this.notBefore = 0;
      if (this.ends.length === 0) this.pyodide.setInterruptBuffer(undefined);
    }
  }
}
