// The words on the port, as core/src/python/protocol.rs has them. What comes from the app is taken as it says; what goes to it is
// parsed, bounded and hashed there again.

/** A file and how many bytes of the buffer are its. */
export interface FileSpan {
  path: string;
  size: number;
}

/** A file that could not be read out. */
export interface UnreadFile {
  path: string;
  reason: string;
}

export interface Start {
  type: "start";
  files: FileSpan[];
}

export interface Equip {
  type: "equip";
  request: number;
  files: FileSpan[];
  wheels: FileSpan[];
}

export interface Materialise {
  type: "materialise";
  request: number;
  remove: string[];
  write: FileSpan[];
}

/** Arguments and context are read by Python from the text itself: numbers would not survive a way through JavaScript. */
export interface Call {
  type: "call";
  request: number;
  output_limit: number;
  overflow_path: string;
  file_limit: number;
  file_bytes_limit: number;
}

export interface Describe {
  type: "describe";
  request: number;
  entrypoint: string;
}

export interface Evaluate {
  type: "evaluate";
  request: number;
  source: string;
  arguments: string;
}

export interface Fetched {
  type: "fetched";
  fetch: number;
  answer:
    | { type: "response"; status: number; status_text: string; headers: [string, string][]; url: string }
    | { type: "refused"; message: string };
}

/** What is answered one after the other. */
export type Request = Equip | Materialise | Call | Describe | Evaluate;

export type ToCage = Start | Request | Fetched;

export type CallFailure = "not_found" | "bad_arguments" | "exception" | "bad_result" | "too_many_files";

export type FromCage =
  | { type: "ready"; python: string; load_millis: number; can_wait: boolean }
  | { type: "failed"; message: string }
  | { type: "done"; request: number }
  | { type: "refused"; request: number; message: string }
  | { type: "output"; request: number; stream: "stdout" | "stderr"; text: string }
  | { type: "fetch"; fetch: number; method: string; url: string; headers: [string, string][] }
  | { type: "changed"; request: number; files: FileSpan[] }
  | { type: "evaluated"; request: number; result: string }
  | { type: "raised"; request: number; traceback: string };
