import { Buffer } from "node:buffer";

/** Prose has about this many bytes per token; tokenizers differ by about 10%. */
export const bytesPerToken = 4;

/** The size of a text in UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text);

export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / bytesPerToken);
