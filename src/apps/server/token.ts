import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** The secret of the person who started the server, valid until it ends. With 128 bits, the address fits 80 columns. */
export interface Token {
  readonly text: string;
  /** Takes the same time for any input. */
  matches(offered: string): boolean;
}

export function createToken(): Token {
  const text = randomBytes(16).toString("base64url");
  const expected = hash("sha256", text, "buffer");
  return { text, matches: (offered) => timingSafeEqual(hash("sha256", offered, "buffer"), expected) };
}
