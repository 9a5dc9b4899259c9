import { Buffer } from "node:buffer";

/** Prose has about so many bytes to a token; tokenizers differ by a tenth or so. */
export const bytesPerToken = 4;

/** Bytes of a text in UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text);

export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / bytesPerToken);
