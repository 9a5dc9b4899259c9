/** What the developer keeps asking for. */
export type HabitName = "pnpm" | "iso" | "lint" | "german" | "cents";

export interface Habit {
  readonly name: HabitName;
  /** Sentences of the person that speak of it, in any language. */
  readonly says: RegExp;
  /** A text in which the target recognises it. */
  readonly knows: RegExp;
  /** How a careful optimizer words it, and what it writes when it is not careful. */
  readonly rule: string;
  readonly useless: string;
  /** How the target answers with the habit known and without it. */
  readonly good: string;
  readonly bad: string;
  readonly checks: readonly { readonly kind: string; readonly value: string; readonly negate: boolean }[];
  readonly rubric: string;
}

export const habits: readonly Habit[] = [
  {
    name: "pnpm",
    says: /npm/i,
    knows: /pnpm/i,
    rule: "Use pnpm, never npm, to install or run packages in this repository.",
    useless: "Be careful when adding dependencies.",
    good: "Run `pnpm add` for it.",
    bad: "Run `npm install` for it.",
    checks: [{ kind: "contains", value: "pnpm add", negate: false }],
    rubric: "",
  },
  {
    name: "iso",
    says: /\bISO\b|date format/,
    knows: /\bISO\b|YYYY-MM-DD/,
    rule: "Write dates and times in ISO 8601, in exports, logs, headings and JSON.",
    useless: "Think about how dates are read.",
    good: "The date is 2026-11-03.",
    bad: "The date is 11/03/2026.",
    checks: [{ kind: "regex", value: String.raw`20\d\d-\d\d-\d\d`, negate: false }],
    rubric: "",
  },
  {
    name: "lint",
    says: /\blint\b/,
    knows: /make lint/,
    rule: "Run `make lint` before every commit.",
    useless: "Write clear commit messages.",
    good: "I ran `make lint`, then committed.",
    bad: "Committed.",
    checks: [{ kind: "contains", value: "make lint", negate: false }],
    rubric: "",
  },
  {
    name: "german",
    says: /deutsch/i,
    knows: /German|Deutsch/,
    rule: "Error messages are in German: customers see them.",
    useless: "Errors should be clear.",
    good: 'throw new Error("Rechnung ist überfällig")',
    bad: 'throw new Error("Invoice is overdue")',
    checks: [],
    rubric: "Every error message in the code is in German.",
  },
  {
    name: "cents",
    says: /整数分|cents/,
    knows: /整数分|integer cents/i,
    rule: "Amounts of money are integer cents, never floating point numbers.",
    useless: "Name variables for money clearly.",
    good: "`addCents(totalCents: number)`，金额用整数分。",
    bad: "`add(total: number)`，返回浮点数。",
    checks: [],
    rubric: "Amounts of money are integer cents, not floating point numbers.",
  },
];

export interface MinedTalk {
  readonly habit: HabitName;
  /** The request, as a careful miner puts it. */
  readonly intent: string;
  /** The words of the person that correct. */
  readonly quote: string;
  /** The rule in them, if it is one. */
  readonly stated: string;
}

/** What a careful miner finds in the recorded talks. */
const recorded: readonly (readonly [
  piece: string,
  habit: HabitName,
  intent: string,
  quote: string,
  stated?: string,
])[] = [
  [
    "add zod to the project",
    "pnpm",
    "Add zod to the project and validate the body of POST /invoices with it. Say which commands you run.",
    "we use pnpm here, not npm",
    "we use pnpm here, not npm.",
  ],
  [
    "CSV export for invoices",
    "iso",
    "Write a CSV export for invoices with number, date, customer and total, and show one row.",
    "our dates are ISO everywhere",
    "our dates are ISO everywhere, 2026-11-03.",
  ],
  [
    "commit the csv export",
    "lint",
    "Commit the CSV export. Say what you run.",
    "you didn't run make lint",
    "always run make lint before you commit, CI fails otherwise",
  ],
  [
    "Rechnung überfällig",
    "german",
    "Schreib eine Funktion, die prüft, ob eine Rechnung überfällig ist, und sonst einen Fehler wirft.",
    "Fehlermeldungen sind bei uns immer auf Deutsch",
    "Fehlermeldungen sind bei uns immer auf Deutsch, die sehen die Kunden.",
  ],
  [
    "计算折扣",
    "cents",
    "给发票加一个计算折扣的函数，折扣是百分比。",
    "金额一律用整数分，不要用浮点数",
    "金额一律用整数分，不要用浮点数。",
  ],
  [
    "bump fastify",
    "pnpm",
    "Bump fastify to the latest version. Say which commands you run.",
    "it's pnpm in this repo",
    "use pnpm for everything",
  ],
  [
    "monthly statement as markdown",
    "iso",
    "Create a monthly statement as markdown for a customer, with its date in the heading.",
    "dates as ISO please, like everywhere else in this code base",
  ],
  [
    "message should mention the statement",
    "lint",
    "Commit the monthly statement. Say what you run.",
    "lint??",
  ],
  [
    "Rechnungsnummer validiert",
    "german",
    "Mach eine Funktion, die eine Rechnungsnummer (R-2026-0001) validiert und bei Fehlern eine Exception wirft.",
    "die Fehlermeldung bitte auf Deutsch, wie überall",
  ],
  [
    "add dayjs",
    "pnpm",
    "How would one add dayjs to this project?",
    "it would be pnpm add, we don't have npm in CI",
  ],
  [
    "余额字段",
    "cents",
    "给客户加一个余额字段，并写一个函数把付款加到余额上。",
    "余额也要用整数分，别用元",
    "余额也要用整数分，别用元。",
  ],
  [
    "log every request",
    "iso",
    "Log every request with method, path, status and the time, and show one line of the log.",
    "ISO timestamps please",
  ],
  [
    "ledgerly-cli` with commander",
    "pnpm",
    "Set up a second workspace package ledgerly-cli with commander. Say which commands you run.",
    "pnpm-workspace.yaml is right there",
  ],
  [
    "commit the cli package",
    "lint",
    "Commit the cli package. Say what you run.",
    "run make lint first, every time",
    "run make lint first, every time",
  ],
  [
    "JSON for the webhook",
    "iso",
    "Write the JSON for the webhook that is sent when an invoice is paid, with the time of payment and the total.",
    "paidAt must be ISO 8601",
  ],
  [
    "USt-IdNr",
    "german",
    "Ergänze eine Prüfung, dass der Kunde eine USt-IdNr. hat, sonst Fehler.",
    "Alle Fehlermeldungen sind auf Deutsch",
    "Alle Fehlermeldungen sind auf Deutsch.",
  ],
  [
    "rate-limit, 100",
    "pnpm",
    "Add @fastify/rate-limit, 100 requests per minute per key. Say which commands you run.",
    "stop using npm",
    "Use pnpm for everything npm would do.",
  ],
  [
    "commit it",
    "lint",
    "Commit the rate limit change. Say what you run.",
    "Always run `make lint` before committing",
    "Always run `make lint` before committing, I keep saying this",
  ],
  ["购物车总价", "cents", "写一个把购物车总价换算成欧元的函数。", "金额用整数分", "金额用整数分！"],
  [
    "changelog entry",
    "iso",
    "Make a changelog entry for the rate limit in version 1.4.0, with today's date.",
    "date format! 2026-11-13",
  ],
  [
    "coverage plugin",
    "pnpm",
    "Install the coverage plugin of vitest. Say which commands you run.",
    "again: pnpm add -D, not npm",
    "pnpm add -D, not npm",
  ],
  ["commit the coverage", "lint", "Commit the coverage change. Say what you run.", "you forgot make lint"],
];

/** Requests of the weeks after the recorded ones, and what is said to the answer: other words, other matters, the same habits. */
const later: Readonly<Record<HabitName, readonly (readonly [request: string, correction: string])[]>> = {
  pnpm: [
    ["add pino as our logger and replace console.log in src/server.ts", "pnpm please, not npm"],
    ["install ajv and check the webhook's body against a schema", "we use pnpm, never npm"],
    ["upgrade typescript to the newest minor release", "it's pnpm here"],
    ["put eslint-plugin-import into the dev dependencies", "use pnpm for that"],
    ["remove moment from the project entirely", "with pnpm! not npm"],
    ["how do I run the seed script of the database package?", "pnpm, as always"],
    ["get nodemailer in so that we can send reminders", "again npm... it's pnpm"],
    ["we need uuid for the request ids, set it up", "pnpm add, not npm install"],
    ["pin undici to version 7 everywhere", "use pnpm in this repo"],
    ["bring in luxon just for the billing cron job", "no npm. pnpm."],
    ["the storybook dependency is missing, sort it out", "pnpm is what we use"],
    ["switch our http client over to ky", "stop with npm, use pnpm"],
  ],
  iso: [
    ["print the due date on the reminder letter", "ISO dates please"],
    ["add a column with the day of payment to the ledger table", "dates are ISO here, like 2026-11-20"],
    ["the audit trail needs to show when somebody logged in", "ISO 8601 please, as everywhere"],
    ["name the backup files after the day they were made", "the date in ISO format"],
    ["write release notes for 1.5 with the day of the release", "ISO date! 2026-11-24"],
    ["show in the admin list since when a customer is with us", "we write dates as ISO"],
    ["export holidays of the warehouse as yaml", "ISO dates, I keep saying it"],
    ["make the cron log say when the next run starts", "timestamps in ISO please"],
    ["generate a sample row for the tax report of the third quarter", "ISO please, not the American way"],
    ["document the expiry field of the voucher endpoint with an example", "the example date must be ISO"],
  ],
  lint: [
    ["commit the logger", "run make lint first"],
    ["make a commit out of the schema work", "you skipped make lint again"],
    ["check in the reminder mails", "make lint before a commit, always"],
    ["save this as a commit and push the branch", "lint first! make lint"],
    ["squash the last three commits into one", "and make lint?"],
    ["commit only the migration", "make lint has to run before you commit"],
    ["finish up: commit with a short message", "run make lint before committing"],
    ["amend the previous commit with the fixed typo", "no commit without make lint"],
    ["commit the voucher endpoint", "did make lint run? always do that first"],
    ["create the release commit for 1.5", "make lint comes before every commit"],
  ],
  german: [
    ["Wirf einen Fehler, wenn der Gutschein abgelaufen ist.", "Die Meldung auf Deutsch bitte."],
    ["Prüfe beim Login die Länge des Passworts.", "Fehlermeldungen auf Deutsch, wie immer."],
    ["Beim Hochladen soll eine zu große Datei abgelehnt werden.", "Auf Deutsch, das sehen die Kunden."],
    ["Validiere die Postleitzahl im Adressformular.", "Bitte deutsche Fehlermeldungen."],
    [
      "Die Bestellung braucht mindestens eine Position, sonst Abbruch.",
      "Fehlertexte sind bei uns auf Deutsch.",
    ],
    ["Fange den Fall ab, dass die Bank die Zahlung ablehnt.", "Meldung auf Deutsch!"],
  ],
  cents: [
    ["写一个计算运费的函数，按重量分三档。", "金额用整数分。"],
    ["把每月订阅费按天数折算。", "要用整数分，不要小数。"],
    ["给退款接口加上手续费的计算。", "手续费也用整数分。"],
    ["统计本季度所有订单的销售额。", "金额一律整数分。"],
    ["实现优惠券抵扣，不能超过订单总额。", "用整数分，别用浮点数。"],
    ["算一下加班费并写进工资单。", "工资也用整数分。"],
  ],
};

/** The nth request of a habit in the weeks after the recorded ones. */
export function laterTalk(
  habit: HabitName,
  nth: number,
): { readonly request: string; readonly correction: string } | undefined {
  const found = later[habit][nth];
  return found === undefined ? undefined : { request: found[0], correction: found[1] };
}

/** What a careful miner makes of a conversation that began with this. */
export function mineTalk(firstPrompt: string): MinedTalk | undefined {
  for (const [piece, habit, intent, quote, stated = ""] of recorded)
    if (firstPrompt.includes(piece)) return { habit, intent, quote, stated };
  for (const { name } of habits)
    for (const [request, correction] of later[name])
      if (firstPrompt.includes(request))
        return { habit: name, intent: request, quote: correction, stated: "" };
  return undefined;
}

/** The habit that a mined request is about. */
export function habitOfRequest(text: string): Habit | undefined {
  const name =
    recorded.find(([, , intent]) => text.includes(intent))?.[1] ??
    habits.find((habit) => later[habit.name].some(([request]) => text.includes(request)))?.name;
  return habits.find((habit) => habit.name === name);
}

/** The habit that a sentence of the person is about. */
export const habitOfSentence = (text: string): Habit | undefined =>
  habits.find(({ says }) => says.test(text));
