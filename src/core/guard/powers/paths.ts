import { type FoundPower, found } from "./addresses.ts";
import { matchPieces, type PowerText } from "./power-text.ts";

/** Paths that lead out of the project: absolute, of the home folder, or up. */
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
