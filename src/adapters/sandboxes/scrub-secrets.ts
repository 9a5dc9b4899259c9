/** Masks known secrets in a byte stream, even if a secret spans two pieces. */
export interface Scrubber {
  take(piece: Uint8Array): Buffer;
  /** The part held back because a secret could have started in it. */
  finish(): Buffer;
}

export function createScrubber(secrets: readonly string[]): Scrubber {
  // one character per byte, so that positions are bytes
  const texts = secrets
    .filter((secret) => secret.length >= 8)
    .map((secret) => Buffer.from(secret).toString("latin1"));
  let held = "";
  const take = (piece: Uint8Array): Buffer => {
    let text = held + Buffer.from(piece).toString("latin1");
    for (const secret of texts) text = text.replaceAll(secret, "*".repeat(secret.length));
    const keep = Math.max(0, ...texts.map((secret) => overlap(text, secret)));
    held = text.slice(text.length - keep);
    return Buffer.from(text.slice(0, text.length - keep), "latin1");
  };
  return {
    take,
    finish() {
      const rest = Buffer.from(held, "latin1");
      held = "";
      return rest;
    },
  };
}

/** The number of characters at the end that could be the start of the secret. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
