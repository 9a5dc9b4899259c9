import { createRedactor } from "../../../src/adapters/redaction/create-redactor.ts";
import { entropy } from "../../../src/adapters/redaction/secret-value.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { fallsShort } from "../rate-bar.ts";
import { type Drawn, type Node, drawMatch, fixedPrefixes, parsePattern } from "./draw-match.ts";
import { readRuleSet } from "./foreign-rules.ts";
import type { ForeignRule } from "./foreign-rule.ts";

/** What a checkout of other people's rules says about us. */
export interface YardstickResult {
  readonly set: string;
  readonly classes: readonly Tally[];
  readonly contexts: readonly Tally[];
  /** Rules that no bar is held to, by reason. */
  readonly aside: Readonly<Record<string, number>>;
  readonly ok: boolean;
}

interface Tally {
  readonly name: string;
  readonly rules: number;
  readonly samples: number;
  readonly missed: number;
}

/** The share of samples with a fixed vendor's prefix that must be taken out. */
const bar = 0.99;

/** Samples drawn from the rules of a checkout, every one fresh, in every context; prints recall by class, context and rule. */
export async function measureByRules(
  folder: string,
  { seed, each, log }: { readonly seed: number; readonly each: number; readonly log: (line: string) => void },
): Promise<YardstickResult> {
  const { name, rules } = readRuleSet(folder);
  const { usable, aside } = divideRules(rules);
  log(
    `${name}: ${rules.length} rules, ${usable.length} to draw from; ${each} samples in each of ${contexts.length} contexts`,
  );
  for (const [reason, ids] of aside)
    log(`  aside, ${reason}: ${ids.length} (${shorten(ids.join(", "), 160)})`);
  const listed = usable.filter(({ kind }) => kind === "fixed prefix");
  log(
    `  held to ≥ ${100 * bar} %, since every secret begins with 4 and more fixed characters: ${listed.length} rules`,
  );
  for (const { rule, prefixes } of listed) log(`    ${rule.id}: ${shorten(prefixes.join(" "), 60)}`);

  const cells: Cell[] = [];
  for (const used of usable) cells.push(...(await measureRule(used, name, seed, each)));
  const by = (key: (cell: Cell) => string): readonly Tally[] =>
    [...Map.groupBy(cells, key)].map(([group, all]) => ({ name: group, ...sum(all) }));
  const classes = by(({ used }) => used.kind);
  const places = by(({ used, context }) => `${used.kind}, ${context}`);
  for (const each of [...classes, ...places]) log(`  ${describe(each)}`);
  const worst = by(({ used }) => `${used.rule.id} (${used.kind})`)
    .filter(({ missed }) => missed > 0)
    .toSorted((a, b) => b.missed / b.samples - a.missed / a.samples);
  log(`  ${worst.length} rules with a sample that came through, the worst first:`);
  for (const each of worst) {
    const missed = cells.filter(
      (cell) => `${cell.used.rule.id} (${cell.used.kind})` === each.name && cell.missed > 0,
    );
    log(
      `    ${describe(each)}: ${missed.map(({ context, missed: count }) => `${context} ${count}`).join(", ")}`,
    );
  }
  const held = by(({ used, context }) => (used.kind === "fixed prefix" ? context : ""));
  const heldRules = by(({ used }) => (used.kind === "fixed prefix" ? used.rule.id : ""));
  const bars = [...held, ...heldRules, ...classes.filter((each) => each.name === "fixed prefix")].filter(
    (each) => each.name !== "",
  );
  const short = bars.filter(({ samples, missed }) =>
    fallsShort({ hits: samples - missed, trials: samples }, { least: bar }, bars.length),
  );
  for (const each of short) log(`  falls short of ${100 * bar} %: ${describe(each)}`);
  return {
    set: name,
    classes,
    contexts: places,
    aside: Object.fromEntries(aside.map(([reason, ids]) => [reason, ids.length])),
    ok: short.length === 0,
  };
}

type Kind = "fixed prefix" | "prefix in any case" | "own form" | "form beside a name" | "name alone";

interface UsableRule {
  readonly rule: ForeignRule;
  readonly secret: Node;
  readonly kind: Kind;
  readonly prefixes: readonly string[];
  readonly vendor: string;
}

interface Cell {
  readonly used: UsableRule;
  readonly context: string;
  readonly samples: number;
  readonly missed: number;
}

function divideRules(rules: readonly ForeignRule[]): {
  readonly usable: readonly UsableRule[];
  readonly aside: readonly (readonly [reason: string, ids: readonly string[]])[];
} {
  const usable: UsableRule[] = [];
  const aside = new Map<string, string[]>();
  for (const rule of rules) {
    const read = readRule(rule);
    if (typeof read !== "string") usable.push(read);
    else aside.set(read, [...(aside.get(read) ?? []), rule.id]);
  }
  return { usable, aside: [...aside] };
}

/** A rule to draw from, or why samples of it would say nothing. */
function readRule(rule: ForeignRule): UsableRule | string {
  if (rule.pattern === undefined) return "built in a way that is not read";
  if (noSecret.test(rule.id)) return "an id, an address, a name or a public key: no secret by itself";
  let secret: Node;
  try {
    const { groups, root } = parsePattern(rule.pattern, rule.anyCase);
    const look = (node: Node) => drawMatch(node, seededRandom("look", rule.id));
    // brackets around a prefix alone hold no secret
    secret = groups.slice(1).find((group) => freeCount(look(group)) >= fewestFree) ?? root;
    const around = look(root)
      .text.replace(look(secret).text, "")
      .replaceAll(/[^A-Za-z]/g, "");
    if (secret !== root && rule.keywords.length === 0 && around.length >= 5)
      return "known only by what stands around it";
  } catch (error) {
    return `no text can be drawn for it: ${error instanceof Error ? error.message.replace(/ at \d+$/, "") : ""}`;
  }
  const drawn = drawMatch(secret, seededRandom("look", rule.id));
  const prefixes = [...new Set(fixedPrefixes(secret))];
  if (
    /\.(?:com|net|io|org|app|cloud|co)$/.test(drawn.text) ||
    prefixes.some((prefix) => /^[a-z+]+:\/\/$/.test(prefix))
  )
    return "an address, of which only a part is a secret";
  if (freeCount(drawn) < fewestFree) return `fewer than ${fewestFree} free characters`;
  const trimmed = trim(drawn.text);
  if (/\s/.test(trimmed)) return "more than one word";
  const isFixed = prefixes.every((prefix) => prefix.length >= 4);
  const lead = trimmed.slice(0, Math.max(0, [...drawn.free].indexOf(true)));
  const kind: Kind = isFixed
    ? "fixed prefix"
    : lead.length >= 4
      ? "prefix in any case"
      : rule.keywords.length === 0
        ? "own form"
        : /[^A-Za-z\d]/.test(lead) || lead.length >= 2
          ? "form beside a name"
          : "name alone";
  const vendor = (rule.keywords[0] ?? rule.id.split(/[ /-]/)[0] ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "_");
  return { rule, secret, kind, prefixes, vendor };
}

const noSecret =
  /(?:client|app|tenant|account|user|key|project|org\w*|env|role|channel|team|workspace|site|consumer|sub)[-_]?id(?:pat|pattern|regex)?$|^\S+ (?:id|app|account|tenant)\w*Pat\w*$|(?:domain|url|uri|host|email|user|username|server|region|subdomain|endpoint|instance|port|invalid|publishable|public|account|name|prefix|pub|sub|false\w*)(?:name|key)?s?[-_]?(?:pat\w*|regex\w*|re)$|-(?:publishable|public|pub)-|public\w* key\w*$|(?:baseurl|publickey)$|(?:publish|subscription)key key/i;

const fewestFree = 12;

const freeCount = ({ free }: Drawn): number => free.filter(Boolean).length;

/** What stands around the secret in an expression without brackets. */
const trim = (text: string): string => text.replace(/^[\s"'`=:>(,]+/, "").replace(/[\s"'`;<),]+$/, "");

async function measureRule(
  used: UsableRule,
  set: string,
  seed: number,
  each: number,
): Promise<readonly Cell[]> {
  const redactor = await createRedactor({ env: {} });
  const cells: Cell[] = [];
  for (const { name, write } of contexts) {
    const random = seededRandom("yardstick", set, used.rule.id, name, seed);
    let missed = 0;
    for (let at = 0; at < each; at += 1) {
      const { text, windows } = drawSecret(used, random);
      const { text: out } = await redactor.redact(write(text, used));
      if (windows.some((window) => out.includes(window))) missed += 1;
    }
    cells.push({ used, context: name, samples: each, missed });
  }
  return cells;
}

/** A secret that the rule itself would report, and what of it may not be seen: any ten of its free characters in a row. */
function drawSecret({ secret, rule }: UsableRule, random: () => number) {
  for (let attempt = 0; ; attempt += 1) {
    const drawn = drawMatch(secret, random);
    const text = trim(drawn.text);
    const from = drawn.text.indexOf(text);
    const windows = windowsOf(text, drawn.free.slice(from, from + text.length));
    const isReported = entropy(text) > rule.entropy && /[A-Za-z]/.test(text) && windows.length > 0;
    if (isReported || attempt === 50) return { text, windows: windows.length > 0 ? windows : [text] };
  }
}

function windowsOf(text: string, free: readonly boolean[]): readonly string[] {
  const runs: string[] = [];
  let run = "";
  for (let at = 0; at <= text.length; at += 1) {
    if (free[at] === true) run += text.charAt(at);
    else {
      runs.push(run);
      run = "";
    }
  }
  const long = runs.filter((each) => each.length >= windowLength);
  if (long.length === 0) return runs.filter((each) => each.length >= 6);
  return long.flatMap((each) =>
    Array.from({ length: each.length - windowLength + 1 }, (_, at) => each.slice(at, at + windowLength)),
  );
}

const windowLength = 10;

interface Context {
  readonly name: string;
  readonly write: (secret: string, rule: UsableRule) => string;
}

/** A rule that needs a vendor's name is given it; the others get names that tell nothing. */
const named = ({ rule, vendor }: UsableRule): string =>
  rule.keywords.length > 0 ? `${vendor}_api_key` : "deploy_value";

const contexts: readonly Context[] = [
  { name: "name: value", write: (secret, rule) => `region: eu\n${named(rule)}: ${secret}\nretries: 3\n` },
  {
    name: "NAME=value",
    write: (secret, rule) => `DEBUG=1\n${named(rule).toUpperCase()}=${secret}\nPORT=3000\n`,
  },
  {
    name: "JSON",
    write: (secret, rule) =>
      JSON.stringify({ type: "tool_result", content: JSON.stringify({ [named(rule)]: secret, retries: 3 }) }),
  },
  { name: "alone on a line", write: (secret) => `This is what I see now.\n\n${secret}\n\nWhat next?` },
  {
    name: "table cell",
    write: (secret, { rule, vendor }) =>
      `| name | value |\n|---|---|\n| ${rule.keywords.length > 0 ? vendor : "prod"} | ${secret} |\n`,
  },
  {
    name: "list of arguments",
    write: (secret, { rule, vendor }) =>
      `run(["${rule.keywords.length > 0 ? vendor : "tool"}", "login", "${secret}"])`,
  },
  { name: "my key is", write: (secret, { vendor }) => `my ${vendor} key is ${secret}, use that one` },
  { name: "after a command", write: (secret) => `$ cat token.txt\n${secret}\n$ ` },
];

function sum(cells: readonly Cell[]): Omit<Tally, "name"> {
  return {
    rules: new Set(cells.map(({ used }) => used.rule.id)).size,
    samples: cells.reduce((total, { samples }) => total + samples, 0),
    missed: cells.reduce((total, { missed }) => total + missed, 0),
  };
}

const describe = ({ name, rules, samples, missed }: Tally): string =>
  `${name}: ${((100 * (samples - missed)) / samples).toFixed(1)} % of ${samples} taken out${rules > 1 ? ` (${rules} rules)` : ""}`;

const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}…`;
