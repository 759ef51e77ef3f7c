// Ends Python that runs too long, from within. Python looks from time to time whether it was interrupted, by reading the first place
// of a buffer. Another thread would write there; there is none, so the place itself looks at the clock.
import type { Pyodide } from "./pyodide";

const INTERRUPT = 2;

export class Deadlines {
  /** When each of the runs that are under way, one within the other, has to end. */
  private readonly ends: number[] = [];
  private readonly place: object;

  constructor(private readonly pyodide: Pyodide) {
    const { ends } = this;
    this.place = Object.defineProperty({}, "0", {
      get: () => (performance.now() >= Math.min(...ends) ? INTERRUPT : 0),
      set: () => {},
    });
  }

  /** Does it, and interrupts Python while it has not ended in time. */
  async within<T>(milliseconds: number, act: () => Promise<T>): Promise<T> {
    if (milliseconds === Infinity) return act();
    this.ends.push(performance.now() + milliseconds);
    this.pyodide.setInterruptBuffer(this.place);
    try {
      return await act();
    } finally {
      this.ends.pop();
      if (this.ends.length === 0) this.pyodide.setInterruptBuffer(undefined);
    }
  }
}
