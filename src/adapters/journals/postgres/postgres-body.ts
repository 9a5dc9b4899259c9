import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

// compression doesn't help shorter texts
const plainBytes = 512;
// above this size the event loop would notice
const asyncBytes = 65_536;

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

/** A body as stored: compressed if that makes it smaller. */
export async function packBody(text: string): Promise<Buffer> {
  const plain = Buffer.from(text);
  if (plain.length < plainBytes) return plain;
  const packed = plain.length < asyncBytes ? zstdCompressSync(plain) : await compress(plain);
  return packed.length < plain.length ? packed : plain;
}

/** Undefined if the bytes aren't the ones that were packed. */
export async function unpackBody(packed: Buffer): Promise<string | undefined> {
  // a body is a JSON object; a zstd frame starts differently
  if (packed[0] === "{".charCodeAt(0)) return packed.toString();
  try {
    return (packed.length < asyncBytes ? zstdDecompressSync(packed) : await decompress(packed)).toString();
  } catch {
    return undefined;
  }
}
