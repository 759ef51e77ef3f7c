// Bundles for the journeys: honest ones, and a writer that says whatever it is told, as no honest archiver would.
import { constants, crc32, deflateRawSync } from "node:zlib";

/** One entry of an archive, with what its headers claim. */
export type Entry = {
  path: string | Buffer;
  text?: string | Buffer;
  /** The bytes as they are in the archive, and the size they claim to have. */
  packed?: Buffer;
  size?: number;
  method?: number;
  mode?: number;
  /** Where the directory says that the entry is, if not where it is. */
  headerAt?: number;
};

/** Writes a ZIP. */
export function zip(entries: Entry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path as string);
    const content = Buffer.from((entry.text ?? "") as string);
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const about = Buffer.alloc(24);
    about.writeUInt16LE(0x800, 0);
    about.writeUInt16LE(method, 2);
    about.writeUInt16LE(0x21, 6);
    about.writeUInt32LE(crc32(content), 8);
    about.writeUInt32LE(packed.length, 12);
    about.writeUInt32LE(entry.size ?? content.length, 16);
    about.writeUInt16LE(name.length, 20);
    const local = Buffer.concat([Buffer.from("PK\x03\x04\x14\0", "latin1"), about, name, packed]);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE((((entry.mode ?? 0o100644) << 16) >>> 0), 8);
    tail.writeUInt32LE(entry.headerAt ?? at, 12);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03\x14\0", "latin1"), about.subarray(0, 22), Buffer.alloc(2), tail.subarray(2), name]));
    bodies.push(local);
    at += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(at, 16);
  if (entries.length < 0xffff) return Buffer.concat([...bodies, index, end]);
  // More than the old end of an archive can count: the new one stands before it.
  const large = Buffer.alloc(56 + 20);
  large.write("PK\x06\x06", "latin1");
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(45, 12);
  large.writeUInt16LE(45, 14);
  for (const place of [24, 32]) large.writeBigUInt64LE(BigInt(entries.length), place);
  large.writeBigUInt64LE(BigInt(index.length), 40);
  large.writeBigUInt64LE(BigInt(at), 48);
  large.write("PK\x06\x07", 56, "latin1");
  large.writeBigUInt64LE(BigInt(at + index.length), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([...bodies, index, large, end]);
}

/** So many bytes of zeros as they are in an archive, about a thousandth of that, without ever having them all. */
export function packedZeros(bytes: number): Buffer {
  const piece = 64 << 20;
  // A flush leaves nothing for what follows to refer to, so the piece can be repeated.
  const packed = deflateRawSync(Buffer.alloc(piece), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const last = deflateRawSync(Buffer.alloc(bytes % piece), { level: 9 });
  return Buffer.concat([...Array<Buffer>(Math.floor(bytes / piece)).fill(packed), last]);
}

/** A manifest, of which parts can be changed. */
export function manifest({ id = "my-toolset", name = "My Toolset", version = "1.0.0", more = "" } = {}): string {
  return `manifest_version: "1"
id: ${id}
name: ${name}
version: "${version}"
description: Example toolset with analysis tools
tools:
  - id: analyze_data
    name: Analyze Data
    description: Analyze a data file and return statistics
    entrypoint: tools.analyze:run
    input_schema: {type: object, properties: {filename: {type: string}}, required: [filename]}
    renderer: {type: html, artifact: artifacts/results.html, data: "$return"}
  - id: wipe
    name: Wipe
    description: Deletes everything in the workspace
    entrypoint: tools.analyze:wipe
    requires_confirmation: true
mcp_servers:
  - id: program
    command: npx
    args: ["-y", "my-mcp-package", "--root", "a folder"]
    env: {API_KEY: "\${MY_API_KEY}"}
  - {id: remote, url: "https://mcp.example.com/mcp"}
network: {hosts: [api.example.com]}
python_packages: [attrs]
secrets: [{name: OTHER_KEY, description: Key of the example service}]
${more}`;
}

/** The files of a whole toolset. */
export function files(text = manifest()): Entry[] {
  return [
    { path: "toolset.yaml", text },
    { path: "tools/analyze.py", text: "def run(workspace, filename):\n    return {}\n\n\ndef wipe(workspace):\n    return {}\n" },
    { path: "artifacts/results.html", text: "<!doctype html><title>Results</title>" },
    { path: "assets/data.bin", text: Buffer.from([0, 255, 1, 254]) },
  ];
}

/** A toolset as a file for an input. */
export const asFile = (name: string, buffer: Buffer | string) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(buffer as string),
});
