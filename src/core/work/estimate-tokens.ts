/** Prose has about so many bytes to a token; tokenizers differ by a tenth or so. */
export const bytesPerToken = 4;

/** Bytes of a text in UTF-8. Counted, not encoded: rehearsals ask it of every prompt. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const isHigh = unit >= 0xd8_00 && unit < 0xdc_00;
    const next = isHigh ? text.charCodeAt(at + 1) : 0;
    if (next >= 0xdc_00 && next < 0xe0_00) {
      bytes += 2;
      at += 1;
    } else bytes += unit < 0x8_00 ? 1 : 2;
  }
  return bytes;
}

export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / bytesPerToken);
