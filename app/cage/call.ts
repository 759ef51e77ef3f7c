// A call of a function of the toolset: the function runs, then what it wrote is read out.
import { isFatal, type Cage } from "./cage";
import type { Call, CallFailure } from "./protocol";
import { joined } from "./spans";
import { pieces } from "./workspace";

/** A message to the app has not many more bytes of files than this. */
const PIECE_BYTES = 32 * 1024 * 1024;

/** What Python gives back; the outcome is a JSON text already. */
interface Ended {
  outcome: string;
  millis: number;
}

export async function callFunction(cage: Cage, message: Call, text: string): Promise<void> {
  const { port, output, workspace } = cage;
  const { request } = message;
  workspace.enter();
  output.begin(request, message.output_limit, message.overflow_path);
  let ended: Ended;
  try {
    ended = await run(cage, text);
  } catch (error) {
    if (isFatal(error)) throw error;
    // Nothing of the function's comes this way: the cage's own part has failed.
    ended = { outcome: failed("exception", error instanceof Error ? error.message : String(error)), millis: 0 };
  } finally {
    output.end();
  }
  const { changed, removed, unread, trouble } = workspace.collect({
    files: message.file_limit,
    fileBytes: message.file_bytes_limit,
  });
  for (const { spans, contents } of pieces(changed, PIECE_BYTES)) {
    port.say({ type: "changed", request, files: spans }, joined(contents));
  }
  const outcome = trouble ? failed("too_many_files", `${trouble} Nothing that the tool wrote was kept.`) : ended.outcome;
  const rest = JSON.stringify({ removed, unread, python_millis: ended.millis });
  port.sayText(`{"type":"returned","request":${request},"outcome":${outcome},${rest.slice(1)}`.toWellFormed());
}

/** Enters Python so that it can wait for something asynchronous, where the browser lets it. */
async function run({ ours, canWait }: Cage, text: string): Promise<Ended> {
  const enter = ours.call;
  try {
    // A tool that is asynchronous gives a promise, which is waited for as well.
    const [outcome, millis] = await (canWait ? enter.callPromising(text) : enter(text));
    return { outcome, millis };
  } finally {
    enter.destroy();
  }
}

function failed(failure: CallFailure, message: string): string {
  return JSON.stringify({ type: "error", failure, message, traceback: "" });
}
