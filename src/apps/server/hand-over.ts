import { type Token, createToken } from "./token.ts";

/** Codes that others can see, as process arguments, so they work only once and for a short time. */
export interface HandOver {
  /** Makes a new code. */
  code(): string;
  /** Uses a code up; returns whether it was valid. */
  take(offered: string): boolean;
}

const goodMs = 60_000;

export function createHandOver(now: () => number = Date.now): HandOver {
  const open = new Set<{ readonly token: Token; readonly until: number }>();
  return {
    code() {
      const token = createToken();
      open.add({ token, until: now() + goodMs });
      return token.text;
    },
    take(offered) {
      const found = [...open].find(({ token }) => token.matches(offered));
      if (found === undefined) return false;
      open.delete(found);
      return now() <= found.until;
    },
  };
}
