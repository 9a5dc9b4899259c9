import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** What the one person who started the server knows, good until the server ends. 128 bits: an address of 80 columns. */
export interface Token {
  readonly text: string;
  /** Takes the same time whatever is offered. */
  matches(offered: string): boolean;
}

export function createToken(): Token {
  const text = randomBytes(16).toString("base64url");
  const expected = hash("sha256", text, "buffer");
  return { text, matches: (offered) => timingSafeEqual(hash("sha256", offered, "buffer"), expected) };
}
