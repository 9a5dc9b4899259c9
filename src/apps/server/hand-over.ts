import { type Token, createToken } from "./token.ts";

/** Codes that can be seen by others (arguments of a process are) and so are good once, and not for long. */
export interface HandOver {
  /** A new one. */
  code(): string;
  /** Whether it was given out, for the first and last time. */
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
