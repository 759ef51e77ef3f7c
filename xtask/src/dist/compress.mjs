// Compresses files with brotli. Reads [[from, to], …] as JSON from standard input; each result appears whole or not at all.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);

async function job([from, to]) {
  const plain = await readFile(from);
  const compressed = await compress(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  });
  await mkdir(dirname(to), { recursive: true });
  const unfinished = `${to}.${process.pid}`;
  await writeFile(unfinished, compressed);
  await rename(unfinished, to);
}

// Equal files have one result (404.html is index.html again), which is made once.
const jobs = new Map(JSON.parse(await text(process.stdin)).map(([from, to]) => [to, [from, to]]));
await Promise.all([...jobs.values()].map(job));
