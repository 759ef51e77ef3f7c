// How much one run of the shell may do. A loop may be as long as it likes: a run that never ends is ended from outside, by its
// time limit or with the whole cage. What is bounded is what would take the memory or the stack.
import type { BashOptions } from "just-bash/browser";

const MEBIBYTE = 1024 * 1024;
/** The package takes no infinity everywhere. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export const LIMITS: NonNullable<BashOptions["executionLimits"]> = {
  maxCommandCount: UNBOUNDED,
  maxLoopIterations: UNBOUNDED,
  maxWorkUnits: UNBOUNDED,
  maxTraversalEntries: UNBOUNDED,
  maxTraversalWork: UNBOUNDED,
  maxGlobOperations: UNBOUNDED,
  // These loops look at no clock.
  maxAwkIterations: 20_000_000,
  maxSedIterations: 20_000_000,
  maxJqIterations: 20_000_000,
  maxCallDepth: 500,
  maxExecDepth: 64,
  maxSourceBytes: 16 * MEBIBYTE,
  maxOutputSize: 64 * MEBIBYTE,
  maxInputBytes: 512 * MEBIBYTE,
  maxExecutionTimeMs: Infinity,
  // A command that is asked to end has nothing to put away.
  maxExtensionCleanupTimeMs: 10,
};
