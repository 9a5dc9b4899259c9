/** Characters for drawing bars and rules. */
export interface Glyphs {
  readonly full: string;
  readonly empty: string;
  readonly rule: string;
}

export const unicodeGlyphs: Glyphs = {
  full: "█",
  empty: "░",
  rule: "─",
};

/** For terminals that draw only ASCII. */
export const asciiGlyphs: Glyphs = {
  full: "#",
  empty: ".",
  rule: "-",
};

/** Decided by the locale. If none is set, only terminals known to be limited get ASCII. */
export function drawsUnicode(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (env["TERM"] === "dumb" || env["TERM"] === "linux") return false;
  if (platform === "win32") return env["WT_SESSION"] !== undefined || env["TERM_PROGRAM"] !== undefined;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return locale === "" || /utf-?8$/i.test(locale);
}
