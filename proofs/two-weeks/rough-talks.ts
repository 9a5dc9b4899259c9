import type { Json } from "../../src/ports.ts";
import type { TalkAgent } from "./talks.ts";

/** A conversation of a person who changes their mind, jokes, says things once, takes back, narrows and mixes languages. */
export interface RoughTalk {
  readonly day: number;
  readonly hour: number;
  readonly agent: TalkAgent;
  /** Each request with the answer. */
  readonly turns: readonly (readonly [asked: string, answered: string])[];
  /** What the miner finds in it, if it is one who finds anything. */
  readonly found?: RoughFind;
}

/** Topics of what the person says; several sentences about one ask for the same. */
export type RoughTopic = keyof typeof topics;

interface RoughFind {
  readonly topic: RoughTopic;
  readonly quote: string;
  readonly stated?: string;
  readonly intent: string;
  readonly lasts?: "once" | "from-now-on";
  readonly taken?: "holds" | "literal";
}

interface Topic {
  /** Words by which a sentence of it is known. */
  readonly says: RegExp;
  readonly good: string;
  readonly bad: string;
  /** How it is worded; empty for what is no rule. */
  readonly rule: string;
  readonly check: string;
  /** Whether the person wants it at the end of the fortnight. */
  readonly isWanted: boolean;
  /** What a sentence of it does to another topic. */
  readonly against?: { readonly topic: string; readonly is: "opposite" | "takes back" };
}

const topic = (
  says: RegExp,
  rule: string,
  [good, bad]: readonly [string, string],
  more: Partial<Topic> = {},
): Topic => ({ says, rule, good, bad, check: good, isWanted: false, ...more });

export const topics = {
  pnpm: topic(/npm/i, "Use pnpm, never npm, for packages.", ["pnpm add it", "npm install it"], {
    isWanted: true,
  }),
  tabs: topic(/tabs, not spaces/i, "Indent with tabs, not spaces.", ["by tabs", "by blanks"]),
  spaces: topic(/spaces, not tabs/i, "Indent with spaces, not tabs.", ["by spaces", "by tab stops"], {
    isWanted: true,
    against: { topic: "tabs", is: "opposite" },
  }),
  german: topic(/(?<!nicht )auf Deutsch/, "Write commit messages in German.", ["Steuer ergänzt", "Add tax"]),
  english: topic(/auf Englisch/, "Write commit messages in English.", ["Add the bic", "BIC ergänzt"], {
    isWanted: true,
    against: { topic: "german", is: "opposite" },
  }),
  camel: topic(/驼峰/, "Name functions in camelCase, never in snake_case.", ["calcIt()", "calc_it()"], {
    isWanted: true,
  }),
  logs: topic(/log every/, "Log every request.", ["logged", "silent"]),
  nologs: topic(/logging thing/, "", ["silent", "logged"], { against: { topic: "logs", is: "takes back" } }),
  port: topic(/port 4000/, "Start the server on port 4000.", ["port 4000", "port 3000"]),
  red: topic(/make it red/, "Buttons that stand out are red.", ["red", "green"]),
  push: topic(/push yet/, "Do not push unless asked.", ["not pushed", "done"]),
  skip: topic(/skip the tests/, "Skip the tests for a release.", ["released", "stopped"]),
  file: topic(/other file/, "", ["docs", "readme"]),
  prod: topic(/straight to prod/, "Always push straight to production.", ["prod", "staging"]),
  split: topic(/never split/, "Keep code in one file.", ["one file", "three files"]),
  fetch: topic(/fetch, not axios/, "Use fetch, not axios.", ["fetch", "axios"]),
  boss: topic(/customer names/, "Never log customer names.", ["no names", "names"]),
} as const satisfies Readonly<Record<string, Topic>>;

export const topicOf = (name: string): Topic | undefined => (topics as Readonly<Record<string, Topic>>)[name];

const [claude, codex] = ["claude-code", "codex"] as const;

const talk = (
  at: readonly [day: number, hour: number, agent?: TalkAgent],
  [asked, did, said, then = "Done."]: readonly [string, string, string, string?],
  found?: RoughFind,
  more: RoughTalk["turns"] = [],
): RoughTalk => ({
  day: at[0],
  hour: at[1],
  agent: at[2] ?? claude,
  turns: [[asked, did], [said, then], ...more],
  ...(found === undefined ? {} : { found }),
});

const find = (name: RoughTopic, intent: string, quote: string, more: Partial<RoughFind> = {}): RoughFind => ({
  topic: name,
  intent,
  quote,
  ...more,
});

export const roughTalks: readonly RoughTalk[] = [
  talk(
    [1, 9],
    [
      "add zod and validate POST /invoices",
      "I ran npm install zod.",
      "we use pnpm here, not npm. please redo it",
    ],
    find("pnpm", "Add zod and validate POST /invoices", "we use pnpm here, not npm", {
      stated: "we use pnpm here, not npm",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [3, 9],
    [
      "bump fastify",
      "I ran npm install fastify@latest.",
      "npm again... it's pnpm in this repo. use pnpm for everything",
    ],
    find("pnpm", "Bump fastify to the latest version", "it's pnpm in this repo", {
      stated: "use pnpm for everything",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [5, 9, codex],
    [
      "add commander to the cli package",
      "npm install commander -w packages/cli",
      "pnpm!! pnpm-workspace.yaml is right there",
    ],
    find("pnpm", "Add commander to the cli package", "pnpm-workspace.yaml is right there"),
  ),
  talk(
    [8, 9],
    ["add rate limit", "npm i @fastify/rate-limit", "stop using npm. Use pnpm for everything npm would do."],
    find("pnpm", "Add rate limiting to the server", "stop using npm", {
      stated: "Use pnpm for everything npm would do.",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [11, 9],
    ["install coverage plugin", "npm install -D @vitest/coverage-v8", "again: pnpm add -D, not npm"],
    find("pnpm", "Install the coverage plugin", "again: pnpm add -D, not npm", {
      stated: "pnpm add -D, not npm",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [2, 10],
    ["write src/tax.ts with a vat function", "Done, indented by blanks.", "use tabs, not spaces"],
    find("tabs", "Write a VAT function in src/tax.ts", "use tabs, not spaces", {
      stated: "use tabs, not spaces",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [4, 10],
    ["write src/iban.ts with an iban check", "Done, by blanks.", "Use tabs, not spaces, please"],
    find("tabs", "Write an IBAN check in src/iban.ts", "Use tabs, not spaces", {
      stated: "Use tabs, not spaces, please",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [9, 10],
    [
      "write src/bic.ts with a bic check",
      "Done, with tab stops.",
      "we changed that in the team, use spaces, not tabs",
    ],
    find("spaces", "Write a BIC check in src/bic.ts", "use spaces, not tabs", {
      stated: "use spaces, not tabs",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [12, 10],
    ["write src/fee.ts", "Done, with tab stops.", "Use spaces, not tabs!"],
    find("spaces", "Write the fee calculation in src/fee.ts", "Use spaces, not tabs", {
      stated: "Use spaces, not tabs!",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [1, 14],
    [
      "committe die steuerfunktion",
      "Committed: Add tax function",
      "Commit-Nachrichten bitte immer auf Deutsch",
    ],
    find("german", "Committe die Steuerfunktion", "Commit-Nachrichten bitte immer auf Deutsch", {
      stated: "Commit-Nachrichten bitte immer auf Deutsch",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [4, 14],
    [
      "committe die iban-prüfung",
      "Committed: Add IBAN check",
      "wie gesagt! Commit-Nachrichten immer auf Deutsch",
    ],
    find("german", "Committe die IBAN-Prüfung", "Commit-Nachrichten immer auf Deutsch", {
      stated: "Commit-Nachrichten immer auf Deutsch",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [10, 14],
    [
      "committe die bic-prüfung",
      "Commit: BIC-Prüfung ergänzt",
      "vergiss das mit den deutschen Commits. Commit-Nachrichten ab jetzt immer auf Englisch, wir haben einen neuen Kollegen",
    ],
    find("english", "Committe die BIC-Prüfung", "Commit-Nachrichten ab jetzt immer auf Englisch", {
      stated: "Commit-Nachrichten ab jetzt immer auf Englisch, wir haben einen neuen Kollegen",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [2, 15],
    ["写一个计算折扣的函数", "我写了 calc_discount。", "不对，函数名一律用驼峰，不要下划线"],
    find("camel", "写一个计算折扣的函数", "函数名一律用驼峰，不要下划线", {
      stated: "函数名一律用驼峰，不要下划线",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [6, 15],
    ["写一个格式化金额的函数", "我写了 format_amount。", "用驼峰！说过了"],
    find("camel", "写一个格式化金额的函数", "用驼峰！说过了"),
  ),
  talk(
    [13, 15, codex],
    ["写一个解析日期的函数", "我写了 parse_date。", "函数名要用驼峰"],
    find("camel", "写一个解析日期的函数", "函数名要用驼峰"),
  ),
  talk(
    [3, 13],
    ["add the statement route", "Added, without logs.", "log every request, here and in all routes"],
    find("logs", "Add the statement route", "log every request", {
      stated: "log every request, here and in all routes",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [5, 13],
    ["add the refund route", "Added, silent.", "I told you: log every request"],
    find("logs", "Add the refund route", "log every request", {
      stated: "log every request",
      lasts: "from-now-on",
    }),
  ),
  talk(
    [11, 13],
    ["add the health route", "Added, logged.", "you can forget the logging thing, the proxy does it now"],
    find("nologs", "", "you can forget the logging thing", { lasts: "from-now-on" }),
  ),
  talk(
    [3, 11],
    ["start the dev server", "Started on port 3000.", "no, use port 4000, 3000 is taken by my other project"],
    find("port", "Start the dev server", "use port 4000, 3000 is taken by my other project", {
      stated: "use port 4000",
      lasts: "once",
    }),
  ),
  talk(
    [5, 11],
    ["make the pay button stand out", "It is green now.", "make it red instead"],
    find("red", "Make the pay button stand out", "make it red instead"),
  ),
  talk(
    [6, 11],
    ["commit and push", "Pushed.", "don't push yet, I am still testing"],
    find("push", "Commit and push", "don't push yet", {
      stated: "don't push yet, I am still testing",
      lasts: "once",
    }),
  ),
  talk(
    [7, 11, codex],
    ["release 1.4", "Tests fail, I stopped.", "just this once skip the tests, the client is waiting"],
    find("skip", "Release 1.4", "just this once skip the tests", {
      stated: "just this once skip the tests, the client is waiting",
      lasts: "once",
    }),
  ),
  talk(
    [7, 16],
    ["fix the typo in the readme", "Fixed in README.md.", "no, the other file"],
    find("file", "Fix the typo in the readme", "no, the other file"),
  ),
  talk(
    [8, 16],
    [
      "deploy the hotfix",
      "Deployed to production without staging.",
      "oh sure, always push straight to prod, what could possibly go wrong",
    ],
    find("prod", "Deploy the hotfix", "always push straight to prod", {
      stated: "always push straight to prod, what could possibly go wrong",
      lasts: "from-now-on",
      taken: "literal",
    }),
  ),
  talk(
    [9, 16],
    [
      "add a helper for dates",
      "I added src/dates.ts (412 lines).",
      "great, another 400 line file. love it. never split anything please",
    ],
    find("split", "Add a helper for dates", "never split anything please", {
      stated: "never split anything please",
      lasts: "from-now-on",
      taken: "literal",
    }),
  ),
  talk(
    [10, 10],
    ["call the vat service", "I used axios.", "no, use fetch, not axios"],
    find("fetch", "Call the VAT service", "use fetch, not axios", {
      stated: "use fetch, not axios",
      lasts: "from-now-on",
      taken: "holds",
    }),
    [["hm wait, sorry, axios was right, put axios back", "Back to axios."]],
  ),
  talk(
    [11, 16],
    [
      "my boss writes that we should never log customer names. is she right?",
      "Names are personal data.",
      "ok good to know",
    ],
    find("boss", "Is it right never to log customer names?", "never log customer names"),
  ),
  talk([12, 16, codex], ["what is a covering index", "An index that holds all columns.", "thanks!"]),
  talk([13, 11], ["rename utils.ts to money.ts", "Renamed.", "nice"]),
];

/** Corrections of the person that ask for something to last: the ones that are to be counted. */
export const lastingTalks = roughTalks.filter(
  ({ found }) =>
    found !== undefined && found.taken === undefined && found.lasts !== "once" && found.topic !== "boss",
);

/** The records of a conversation as its agent writes them down. */
export function recordsOf(
  { agent, turns }: RoughTalk,
  { session, cwd, at }: { readonly session: string; readonly cwd: string; readonly at: number },
): readonly Json[] {
  const time = (nth: number) => new Date(at - (turns.length - nth) * 60_000).toISOString();
  if (agent === "codex")
    return [
      { type: "session_meta", timestamp: time(0), payload: { id: session, cwd, cli_version: "0.166.0" } },
      ...turns.flatMap(([asked, answered], nth): Json[] => [
        { type: "event_msg", timestamp: time(nth), payload: { type: "user_message", message: asked } },
        { type: "event_msg", timestamp: time(nth), payload: { type: "agent_message", message: answered } },
      ]),
    ];
  const record = (nth: number, type: string, message: Json): Json => ({
    type,
    uuid: `${session}-${nth}-${type}`,
    timestamp: time(nth),
    cwd,
    sessionId: session,
    version: "2.1.325",
    message,
  });
  return turns.flatMap(([asked, answered], nth) => [
    record(nth, "user", { role: "user", content: asked }),
    record(nth, "assistant", {
      id: `msg-${nth}`,
      role: "assistant",
      model: "a-model",
      content: [{ type: "text", text: answered }],
    }),
  ]);
}
