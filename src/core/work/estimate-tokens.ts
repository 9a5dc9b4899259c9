/** Prose has about so many bytes to a token; tokenizers differ by a tenth or so. */
export const bytesPerToken = 4;

const encoder = new TextEncoder();

export const byteLength = (text: string): number => encoder.encode(text).length;

export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / bytesPerToken);
