import { isTemplate, looksRandom } from "./secret-value.ts";
import type { Span } from "./span.ts";

/** Passwords in addresses, `postgres://name:password@host`, in `curl -u name:password` and in `mysql -ppassword`. */
export function findUriCredentials(softened: string): readonly Span[] {
  const spans: Span[] = [];
  for (let at = softened.indexOf("://"); at !== -1; at = softened.indexOf("://", at + 3)) {
    if (!/[A-Za-z\d+.-]/.test(softened.charAt(at - 1))) continue;
    const span = readUserInfo(softened, at + 3);
    if (span !== undefined) spans.push(span);
  }
  for (const option of [userOption, databaseOption])
    for (const match of softened.matchAll(option)) {
      const [whole, password = ""] = match;
      const end = match.index + whole.length;
      if (!isTemplate(password)) spans.push({ start: end - password.length, end, kind: "uri" });
    }
  return spans;
}

const userOption = /(?<=\s(?:-u|--user|--proxy-user)[ =]{0,2}["']?)[^\s:"'@]{1,64}:([^\s"']{3,200})/g;
const databaseOption =
  /(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]{0,200}\s-p)["']?([^\s"']{3,200})/g;

function readUserInfo(text: string, from: number): Span | undefined {
  const segment = /^[^\s"'`<>\\]*/.exec(text.slice(from, from + longestAddress))?.[0] ?? "";
  const authority = /^[^/?#]*/.exec(segment)?.[0] ?? "";
  let at = authority.lastIndexOf("@");
  const colon = segment.indexOf(":");
  // a password that contains a slash, as people write it; a port is a number
  if (at === -1 && colon !== -1 && colon < authority.length && !/^:\d+$/.test(authority.slice(colon)))
    at = segment.lastIndexOf("@");
  if (at < 1) return undefined;
  const hasPassword = colon !== -1 && colon < at;
  const start = hasPassword ? colon + 1 : 0;
  const secret = segment.slice(start, at);
  // without a password, the name itself may be a token
  if (secret === "" || isTemplate(secret) || (!hasPassword && !looksRandom(secret))) return undefined;
  return { start: from + start, end: from + at, kind: "uri" };
}

const longestAddress = 512;
