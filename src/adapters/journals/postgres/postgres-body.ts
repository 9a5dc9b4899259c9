import { hash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

/** A body as it is stored: in its row, or under its hash in a table of its own. */
export interface StoredBody {
  readonly bytes: Buffer | null;
  /** SHA-256 of the text. */
  readonly blob: Buffer | null;
}

export interface PackedBody extends StoredBody {
  /** What stands under the hash. */
  readonly blobBytes?: Buffer;
}

// shorter texts gain nothing by compression
const plainBytes = 512;
// longer rows would be cut up by PostgreSQL itself
const rowBytes = 1800;
// above this the event loop would feel it
const asyncBytes = 65_536;

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

/** A small body stays beside its key, a large one goes compressed under its hash: the same text is kept once. */
export async function packBody(text: string): Promise<PackedBody> {
  const plain = Buffer.from(text);
  if (plain.length < plainBytes) return { bytes: plain, blob: null };
  const packed = plain.length < asyncBytes ? zstdCompressSync(plain) : await compress(plain);
  const bytes = packed.length < plain.length ? packed : plain;
  if (bytes.length <= rowBytes) return { bytes, blob: null };
  return { bytes: null, blob: hash("sha256", plain, "buffer"), blobBytes: bytes };
}

/** Undefined when the bytes are not what was packed. */
export async function unpackBody(
  { bytes, blob }: StoredBody,
  loadBlob: (blob: Buffer) => Promise<Buffer | undefined>,
): Promise<string | undefined> {
  const packed = bytes ?? (blob === null ? undefined : await loadBlob(blob));
  if (packed === undefined) return undefined;
  const plain = await inflate(packed);
  if (plain === undefined || (blob !== null && !hash("sha256", plain, "buffer").equals(blob)))
    return undefined;
  return plain.toString();
}

async function inflate(packed: Buffer): Promise<Buffer | undefined> {
  // a body is a JSON object; a frame of zstd begins otherwise
  if (packed[0] === "{".charCodeAt(0)) return packed;
  try {
    return packed.length < asyncBytes ? zstdDecompressSync(packed) : await decompress(packed);
  } catch {
    return undefined;
  }
}
