import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

// shorter texts gain nothing by compression
const plainBytes = 512;
// above this the event loop would feel it
const asyncBytes = 65_536;

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

/** A body as it is stored: compressed where that makes it smaller. */
export async function packBody(text: string): Promise<Buffer> {
  const plain = Buffer.from(text);
  if (plain.length < plainBytes) return plain;
  const packed = plain.length < asyncBytes ? zstdCompressSync(plain) : await compress(plain);
  return packed.length < plain.length ? packed : plain;
}

/** Undefined when the bytes aren't what was packed. */
export async function unpackBody(packed: Buffer): Promise<string | undefined> {
  // a body is a JSON object; a frame of zstd begins otherwise
  if (packed[0] === "{".charCodeAt(0)) return packed.toString();
  try {
    return (packed.length < asyncBytes ? zstdDecompressSync(packed) : await decompress(packed)).toString();
  } catch {
    return undefined;
  }
}
