/**
 * Files as JSON: relative path with forward slashes → content. Text is kept as it is; anything that isn't UTF-8
 * is written as `data:application/octet-stream;base64,…`.
 */
export type Files = Readonly<Record<string, string>>;

const binaryPrefix = "data:application/octet-stream;base64,";

export const isBinary = (content: string): boolean => content.startsWith(binaryPrefix);

export function encodeFile(bytes: Uint8Array): string {
  const text = decodeText(bytes);
  // text that looks encoded is encoded too, so that decoding is exact
  if (text !== undefined && !isBinary(text)) return text;
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return binaryPrefix + btoa(binary);
}

/** A file's bytes as text for people; empty for a missing file. */
export function readableText(bytes: Uint8Array | null): string {
  const text = bytes === null ? "" : encodeFile(bytes);
  return isBinary(text) ? "(not text)" : text;
}

export function decodeFile(content: string): Uint8Array {
  return isBinary(content)
    ? Uint8Array.from(atob(content.slice(binaryPrefix.length)), (character) => character.charCodeAt(0))
    : new TextEncoder().encode(content);
}

function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
