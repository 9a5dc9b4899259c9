import { hashText } from "../canonical.ts";

/** Something that a text lets or makes an agent do. */
export interface Power {
  /** Made from kind and words, the same on any machine. A person acknowledges this id, or the word of its kind. */
  readonly id: string;
  readonly kind: PowerKind;
  readonly rank: PowerRank;
  /** The words that give it, as written in the text except for white space. */
  readonly item: string;
  /** Its line, from 1; for a removed safeguard, its old line. */
  readonly line: number;
}

/** `ask`: a person must acknowledge it. `note`: it's only shown, such as a project's own command. */
export type PowerRank = "ask" | "note";

export type PowerKind = (typeof powerKinds)[number];

export const powerKinds = [
  "host",
  "recipient",
  "command",
  "install",
  "script",
  "path",
  "credential",
  "permission",
  "authority",
  "concealment",
  "tests",
  "weaker",
  "encoded",
  "comment",
  "safeguard",
  "not-looked-at",
] as const;

/** The word that acknowledges all of a kind: `--acknowledge credentials`. */
export const powerWords: Readonly<Record<PowerKind, string>> = {
  host: "hosts",
  recipient: "recipients",
  command: "commands",
  install: "installs",
  script: "scripts",
  path: "paths",
  credential: "credentials",
  permission: "rights",
  authority: "authority",
  concealment: "concealment",
  tests: "tests",
  weaker: "weaker-code",
  encoded: "encoded-text",
  comment: "comments",
  safeguard: "safeguards",
  "not-looked-at": "not-looked-at",
};

/** Whether the ids and words a person gave cover it. No word covers all kinds. */
export const isAcknowledged = ({ id, kind }: Pick<Power, "id" | "kind">, said: readonly string[]): boolean =>
  said.includes(id) || said.includes(powerWords[kind]);

/** The meaning of each kind, as a part of a sentence. */
export const powerNames: Readonly<Record<PowerKind, string>> = {
  host: "names a host or an address",
  recipient: "sends something to someone",
  command: "runs a command",
  install: "installs something",
  script: "runs a script",
  path: "reaches outside the project",
  credential: "uses credentials",
  permission: "changes what is permitted",
  authority: "gives other text authority",
  concealment: "conceals something",
  tests: "weakens tests or checks",
  weaker: "makes the code that is written less safe",
  encoded: "contains encoded text",
  comment: "contains text that isn't shown when rendered",
  safeguard: "removes a safeguard",
  "not-looked-at": "wasn't looked at",
};

export function makePower(
  kind: PowerKind,
  words: string,
  { line, rank = "ask" }: { readonly line: number; readonly rank?: PowerRank },
): Power {
  const item = words.replaceAll(/\s+/g, " ").trim();
  return {
    id: hashText(`${kind}\n${item}`).slice(0, 8),
    kind,
    rank,
    item: item.length > longest ? `${item.slice(0, longest)}…` : item,
    line,
  };
}

const longest = 200;
