/** Width and height from the image's own header; undefined if it's broken or not one of the four types. */
export function imageSize(bytes: Buffer): readonly [width: number, height: number] | undefined {
  try {
    const size = read(bytes);
    return size !== undefined && size[0] > 0 && size[1] > 0 ? size : undefined;
  } catch {
    // the data ends too early
    return undefined;
  }
}

function read(bytes: Buffer): readonly [number, number] | undefined {
  const head = bytes.toString("latin1", 0, 16);
  if (head.startsWith("\x89PNG\r\n\x1a\n") && head.endsWith("IHDR"))
    return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (head.startsWith("\xff\xd8\xff")) return readJpeg(bytes);
  if (/^GIF8[79]a/.test(head)) return readGif(bytes);
  if (/^RIFF....WEBP/s.test(head)) return readWebp(bytes);
  return undefined;
}

/** The largest frame before the first scan. */
function readJpeg(bytes: Buffer): readonly [number, number] {
  let size: readonly [number, number] = [0, 0];
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) return [0, 0];
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xda) return size;
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else {
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      if (isFrame) size = larger(size, [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]);
      at += 2 + bytes.readUInt16BE(at + 2);
    }
  }
}

/** A frame may be larger than the screen size the file declares. */
function readGif(bytes: Buffer): readonly [number, number] {
  const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let size: readonly [number, number] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  let at = 13 + tableBytes(bytes.readUInt8(10));
  const skipBlocks = (): void => {
    for (let length = bytes.readUInt8(at++); length > 0; length = bytes.readUInt8(at++)) at += length;
  };
  for (let kind = bytes.readUInt8(at++); kind !== 0x3b; kind = bytes.readUInt8(at++)) {
    if (kind === 0x21) at += 1;
    else if (kind === 0x2c) {
      const edge = (offset: number): number => bytes.readUInt16LE(offset) + bytes.readUInt16LE(offset + 4);
      size = larger(size, [edge(at), edge(at + 2)]);
      at += 10 + tableBytes(bytes.readUInt8(at + 8));
    } else return [0, 0];
    skipBlocks();
  }
  return size;
}

function readWebp(bytes: Buffer): readonly [number, number] | undefined {
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X") return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind === "VP8 ") return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  if (kind !== "VP8L") return undefined;
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}

const larger = (
  [a, b]: readonly [number, number],
  [c, d]: readonly [number, number],
): readonly [number, number] => [Math.max(a, c), Math.max(b, d)];
