/** A value in every form in which a transcript may hold it, by name. */
export function escapesOf(value: string): readonly { readonly name: string; readonly text: string }[] {
  const json = inJson(value);
  const percent = encodeURIComponent(value);
  const half = Math.ceil(value.length / 2);
  const [head, tail] = [value.slice(0, half), value.slice(half)];
  const forms: Record<string, string> = {
    plain: value,
    json,
    "json in json": inJson(json),
    "json with escaped slashes": json.replaceAll("/", "\\/"),
    "json with unicode escapes": json.replaceAll(
      /[&+=!]/g,
      (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
    ),
    url: percent,
    "url, small letters": percent.replaceAll(/%../g, (escaped) => escaped.toLowerCase()),
    "url, every character": [...Buffer.from(value)]
      .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
      .join(""),
    "url twice": encodeURIComponent(percent),
    html: value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;"),
    hex: Buffer.from(value).toString("hex"),
    "split over lines": `${head}\n${tail}`,
    "split with indentation": `${head}\n      ${tail}`,
    "split by a shell": `${head}\\\n  ${tail}`,
    "split as code": `${head}" +\n    "${tail}`,
    "split with line numbers": `${head}\n   41→${tail}`,
    "split in json": `${inJson(head)}\\n  ${inJson(tail)}`,
  };
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.from(`${"ab".slice(0, before)}${value}:and more`);
    forms[`base64, alignment ${before}`] = bytes.toString("base64");
    forms[`base64url, alignment ${before}`] = bytes.toString("base64url");
    forms[`base64 in lines, alignment ${before}`] = bytes.toString("base64").replaceAll(/.{16}/g, "$&\n");
  }
  return Object.entries(forms).map(([name, text]) => ({ name, text }));
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Whether a text shows a value in any of these forms. Written independently of the program. */
export function isSeen(value: string, text: string): boolean {
  const unescaped = text.replaceAll(/\\+u00([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const decoded = decodePercent(text);
  const plain = text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&lt;", "<");
  return (
    [text, decoded, decodePercent(decoded), plain].some((view) => view.includes(value)) ||
    bare(unescaped).includes(bare(value)) ||
    coresOf(value).some((core) => text.replaceAll(/(?:\\+n|\s)+/g, "").includes(core))
  );
}

/** Without what stands at the break of a line. */
const bare = (text: string): string => text.replaceAll(/\\+n|\d+→|[\\"+\s]/g, "");

const decodePercent = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString());

/** The middle of its base64 in each alignment, and its hex. */
function coresOf(value: string): readonly string[] {
  const inner = [0, 1, 2].flatMap((before) =>
    (["base64", "base64url"] as const).map((encoding) =>
      Buffer.from("_".repeat(before) + value)
        .toString(encoding)
        .slice(before + 1, -4),
    ),
  );
  return [...inner, Buffer.from(value).toString("hex")];
}
