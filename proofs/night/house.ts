import type { Json } from "../../src/ports.ts";

/** Where a rule belongs: the project's notes, the one skill of the project, or the person's own notes. */
export type Home = "memory" | "skill" | "personal";

/** A habit of the house that nobody wrote down: whoever has not read it gets it wrong. */
export interface HouseRule {
  readonly name: string;
  readonly home: Home;
  /** What a document must say. */
  readonly sentence: string;
  /** What a document must not say: it undoes the rule. */
  readonly harmful: string;
  /** Changes nothing. */
  readonly useless: string;
  /** The nth request; no two are the same. */
  request(n: number): string;
  paraphrase(n: number): string;
  /** What belongs to a request or to its paraphrase; undefined for requests about something else. */
  read(text: string): Readonly<Record<string, string>> | undefined;
  answer(fields: Readonly<Record<string, string>>, isObeyed: boolean): string;
  /** What the person says against a wrong answer. */
  readonly correction: string;
  readonly check?: (fields: Readonly<Record<string, string>>) => {
    readonly kind: string;
    readonly value: Json;
  };
  readonly rubric?: string;
}

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

const packages = "zod undici yaml semver picomatch chokidar fastify pino lodash dayjs mitt nanoid".split(" ");
const workspaces = "checkout catalog invoice warehouse mailer basket voucher returns".split(" ");
const changes = [
  "round totals half up",
  "retry a failed payment once",
  "hide sold out sizes",
  "sort vouchers by expiry",
  "log slow queries",
  "cache the price list",
  "drop the legacy banner",
  "validate postal codes",
  "merge duplicate baskets",
  "show delivery windows",
  "escape customer names",
];
const functions =
  "roundTotal splitOrder mergeBaskets findVoucher openDrawer quoteFreight sealParcel pickShelf countStock freeSlot holdItem".split(
    " ",
  );
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** What the world hides. */
export const houseRules: readonly HouseRule[] = [
  {
    name: "packages",
    home: "memory",
    sentence: "Use pnpm for everything that npm would do.",
    harmful: "Stay with npm, whatever else is said about package managers.",
    useless: "Be careful when you add dependencies.",
    request: (n) => `Which command adds the package ${packageOf(n)} to the ${pick(workspaces, n)} workspace?`,
    paraphrase: (n) => `How do I get the package ${packageOf(n)} to the ${pick(workspaces, n)} workspace?`,
    read: (text) => fieldsOf(/package (?<package>\S+) to the (?<workspace>\S+) workspace/, text),
    answer: (fields, isObeyed) =>
      isObeyed
        ? `Run \`pnpm add ${fields["package"]} --filter ${fields["workspace"]}\`.`
        : `Run \`npm install ${fields["package"]} -w ${fields["workspace"]}\`.`,
    correction: "no, use pnpm",
    check: () => ({ kind: "contains", value: "pnpm add" }),
  },
  {
    name: "commits",
    home: "memory",
    sentence: "Begin every commit message with the ticket in square brackets.",
    harmful: "Never name tickets in commit messages.",
    useless: "Think about who will read a commit message.",
    request: (n) => `Write the commit message for ticket SHOP-${1000 + n}: ${pick(changes, n)}.`,
    paraphrase: (n) => `I need a commit message for ticket SHOP-${1000 + n}: ${pick(changes, n)}.`,
    read: (text) => fieldsOf(/ticket (?<ticket>SHOP-\d+): (?<change>[^.]+)\./, text),
    answer: (fields, isObeyed) =>
      isObeyed ? `[${fields["ticket"]}] ${fields["change"]}` : `${fields["change"]} (${fields["ticket"]})`,
    correction: "no, put the ticket first, in square brackets",
    check: ({ ticket = "" }) => ({ kind: "contains", value: `[${ticket}]` }),
  },
  {
    name: "dates",
    home: "skill",
    sentence: "Write dates as year-month-day, with digits only.",
    harmful: "Always write months out in words, never as digits.",
    useless: "Keep headings short.",
    request: (n) =>
      `Write the release notes heading for version ${versionOf(n)}, released on ${spokenDate(n)}.`,
    paraphrase: (n) => `Give me a heading for version ${versionOf(n)}, released on ${spokenDate(n)}.`,
    read(text) {
      const fields = fieldsOf(
        /version (?<version>[\d.]+), released on (?<day>\d+) (?<month>[A-Z][a-z]+) (?<year>\d{4})/,
        text,
      );
      return fields === undefined ? undefined : { ...fields, date: digitDate(fields) };
    },
    answer: (fields, isObeyed) =>
      isObeyed
        ? `## ${fields["version"]} (${fields["date"]})`
        : `## ${fields["version"]} (${fields["day"]} ${fields["month"]} ${fields["year"]})`,
    correction: "no, dates go as year-month-day here",
    check: ({ date = "" }) => ({ kind: "contains", value: date }),
  },
  {
    name: "explanations",
    home: "personal",
    sentence: "End every explanation with the test file that covers it.",
    harmful: "Do not mention tests in explanations.",
    useless: "Explain things calmly.",
    request: (n) => `Explain in one sentence what ${functionOf(n)} is for.`,
    paraphrase: (n) => `In one sentence: say what ${functionOf(n)} is for.`,
    read: (text) => fieldsOf(/what (?<function>\w+) is for/, text),
    answer: (fields, isObeyed) =>
      isObeyed
        ? `It does what its name says. Covered by test/${fields["function"]}.test.ts.`
        : "It does what its name says, and is called by the checkout.",
    correction: "no, I always want the test file named at the end",
    rubric: "The answer ends with the name of the test file that covers the function.",
  },
];

/** The rule that a text asks for, with what it asks about. */
export function findAsked(
  text: string,
): { readonly rule: HouseRule; readonly fields: Readonly<Record<string, string>> } | undefined {
  for (const rule of houseRules) {
    const fields = rule.read(text);
    if (fields !== undefined) return { rule, fields };
  }
  return undefined;
}

const packageOf = (n: number): string => `${pick(packages, n)}${n < packages.length ? "" : n}`;
const functionOf = (n: number): string => `${pick(functions, n)}${n}`;
const versionOf = (n: number): string => `${2 + Math.floor(n / 10)}.${n % 10}`;
const spokenDate = (n: number): string => `${1 + (n % 27)} ${pick(months, n * 5)} ${2024 + (n % 3)}`;

const digitDate = ({ day = "", month = "", year = "" }: Readonly<Record<string, string>>): string =>
  `${year}-${String(months.indexOf(month) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;

function fieldsOf(pattern: RegExp, text: string): Readonly<Record<string, string>> | undefined {
  const found = pattern.exec(text);
  return found?.groups === undefined ? undefined : { ...found.groups };
}

/** What agents say beside what they were asked for. */
export const remarks = (random: () => number, verbosity: number): readonly string[] =>
  Array.from(
    { length: Math.floor(random() * 4 * verbosity) },
    (_, at) => pleasantries[at % pleasantries.length] ?? "",
  );

const pleasantries = [
  "Here is what I would do.",
  "This is a small change, and nothing else has to be touched for it to work as you asked.",
  "I looked at how the neighbouring code does it before I answered, to stay close to what is there already.",
];
