import type { PowerKind } from "../power.ts";
import { codeSpan, matchPieces, type PowerPiece, type PowerText } from "./power-text.ts";

/** Finds hosts and people that data could go to. */
export function findAddresses({ plain }: PowerText): readonly FoundPower[] {
  const mails = matchPieces(plain, mailAddress).map((piece) => found("recipient", piece));
  // the host of a mail address isn't listed separately
  const rest = plain.replaceAll(mailAddress, (match) => " ".repeat(match.length));
  const urls = matchPieces(rest, url).map(({ text, line }) =>
    found(/^file:/i.test(text) ? "path" : "host", { text: text.replace(/[.,;:!?*'"]+$/, ""), line }),
  );
  const bare = rest.replaceAll(url, (match) => " ".repeat(match.length));
  // in code, a.info is more often a field than a host
  const prose = bare.replaceAll(codeSpan, (match) => match.replaceAll(/[^\n]/g, " "));
  const hosts = [
    ...[hostName, hostWithPath, ipAddress, shareName].flatMap((pattern) => matchPieces(bare, pattern)),
    ...matchPieces(prose, wordyHostName),
  ];
  const phones = matchPieces(bare, phoneNumber).map((piece) => found("recipient", piece));
  return [...mails, ...urls, ...hosts.filter(isForeign).map((piece) => found("host", piece)), ...phones];
}

/** Something that gives a power, whether or not it's new. */
export interface FoundPower {
  readonly kind: PowerKind;
  readonly words: string;
  readonly line: number;
}

export const found = (kind: PowerKind, { text, line }: PowerPiece): FoundPower => ({
  kind,
  words: text,
  line,
});

const mailAddress =
  /[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+\p{L}{2,24}(?::[\w./~-]+)?|\b(?:mailto|tel|sms|xmpp|matrix):[^\s)>\]"'`]+/giu;
const url =
  /\b(?!whetstone:)[a-z][a-z0-9+.-]{1,20}:\/\/[^\s)>\]"'`|]+|\b(?:javascript|vbscript|data):(?=[\w/;,(+]{3})[^\s)>\]"'`]+|(?<=[("'\s])\/\/(?:[\w-]+\.)+\p{L}{2,24}\/[^\s)>\]"'`]*/giu;

// endings that aren't also words or file endings
const hostName =
  /(?<![\w@./\\-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:com|org|edu|gov|mil|io|ai|xyz|biz|onion|example|ru|cn|uk|de|fr|eu|nl|ch|se|jp|kr|br|au|ca|su|tk|gq|ly|gg|ws|icu|tv|internal|local|lan|corp|net(?!\s*(?:core|framework|\d)))(?![\p{L}\p{N}(_-])(?:[:/][^\s)>\]"'`|]*[^\s)>\]"'`|.,;:!?])?/giu;
const hostWithPath =
  /(?<![\w@./\\-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:dev|app|co|sh|me|to|it|us|at|in|rs|pl|cc|ml|so|info|link|page|site|space|host|store|top|live|pro|tech|cloud|online|click|club|fun|shop|zip|mov|website|email|id|run|build|tools|systems|services|network|blog|wiki)(?::\d+)?\/[\w%~][^\s)>\]"'`|]*/giu;
const wordyHostName =
  /(?<![\w@./\\-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:dev|app|co|info|link|page|site|space|host|store|live|tech|cloud|online|click|club|shop|website|network|blog|wiki)\b(?![\p{L}\p{N}(_:/-]|\.[\p{L}\p{N}])/gu;
const ipAddress =
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)(?::\d+)?(?:\/[^\s)>\]"'`]*)?|(?<![\w:.])(?:[0-9a-f]{1,4}:){3,7}(?::|[0-9a-f]{1,4})[0-9a-f:]*(?![\w:])|(?<![\w:])[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5}::[0-9a-f]{0,4}(?![\w:])|\b0x[0-9a-f]{8}\b/gi;
const shareName = /(?<![\w\\])\\\\[\w.-]{2,}\\[\w$.-]+/g;
const phoneNumber = /(?<![\w+])\+\d{1,3}[ ()\d/-]{6,18}\d/g;

const isForeign = ({ text }: PowerPiece): boolean => !/^(?:127\.0\.0\.1|0\.0\.0\.0)(?![\w.])/.test(text);

/** Finds paths that lead out of the project: absolute, in the home folder, or upwards. */
export const findPaths = ({ plain }: PowerText): readonly FoundPower[] =>
  matchPieces(plain, outside)
    .filter(({ text }) => !/^\/dev\/(?:null|stdin|stdout|stderr|tty)$/.test(text))
    .map(({ text, line }) => found("path", { text: text.replace(/[.,;:!?]+$/, ""), line }));

const rest = String.raw`[^\s)>\]"'\x60|,;]*`;
const outside = new RegExp(
  [
    String.raw`(?<![\w.~:/}-])\/(?:etc|usr|home|root|var|tmp|opt|bin|sbin|dev|proc|sys|mnt|Users|Library|private|Applications|Volumes|System|srv|boot|Windows|nix)(?:\/${rest}|(?![\w-]))`,
    String.raw`(?<![\w~])~(?:[a-z][\w-]*)?\/${rest}`,
    String.raw`(?<![\w.])(?:\.\.[/\\])+${rest}`,
    String.raw`\$(?:\{?(?:HOME|XDG_\w+|USERPROFILE|APPDATA|TMPDIR|TEMP|env:\w+)\}?)(?:[/\\]${rest})?`,
    String.raw`%(?:USERPROFILE|APPDATA|LOCALAPPDATA|HOMEPATH|TEMP|SystemRoot|ProgramData|PROGRAMFILES)%${rest}`,
    String.raw`(?<![\w])[A-Za-z]:(?:\\|\/(?!\/))${rest}`,
    String.raw`\b(?:home|parent|user's|root|system|temp(?:orary)?)\s+(?:folder|director(?:y|ies))\b`,
    String.raw`\boutside\s+(?:of\s+)?(?:the|this|your)\s+(?:project|repositor(?:y|ies)|repo|workspace|working\s+(?:folder|directory|tree))\b`,
  ].join("|"),
  "g",
);
