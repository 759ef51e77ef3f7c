// What the shell's package imports from Node for compression. There is none here: `gzip` and its kin are left out, and `tar -z` says
// so. Python's own `gzip`, `zipfile` and `tarfile` are there.
export const constants = { Z_DEFAULT_COMPRESSION: -1, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9 };

export function gzipSync(): never {
  throw new Error("no compression here; Python's tarfile has it");
}

export const gunzipSync = gzipSync;
