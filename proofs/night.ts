import { hash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type ScriptedServer, seededRandom, startScriptedServer } from "../src/testing/index.ts";
import { whetstoneMarker } from "./support/whetstone-marker.ts";
import { type Review, review } from "../src/index.ts";
import { dayOf } from "./night/days.ts";
import { type Talk, writeTalks } from "./night/histories.ts";
import { houseRules } from "./night/house.ts";
import { type NightPlace, makePlace, nightConfig } from "./night/place.ts";
import { nightWorld } from "./night/world.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import {
  type Death,
  countCalls,
  describeDeath,
  readJournalState,
  settleCalls,
} from "./support/kill-journal.ts";
import { type CommandEnd, runCli } from "./support/run-cli.ts";
import { programsOnly } from "./support/sleep-command.ts";
import { readStaged } from "../test/support/night-files.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Over two nights on three agents' histories, rules are proven and really help. Nothing live changes before adopt, and undo restores the exact bytes. The second night keeps the first one's rules, a killed night resumes, and no secret leaks.";

const talksPerDay = 56;
/** Requests of each kind, by which the world scores a document. */
const truthRequests = 500;
const kills = 2;

export default async function proveNight({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = Array.from({ length: numberOption(args, "seeds", short ? 1 : 3) }, (_, at) => at + 1);
  log(`world: ${houseRules.length} house rules that no document states; the target obeys what it reads,`);
  log("10% of its answers are random; 24% of the optimizer's rules are useless or harmful");
  log(
    `each day ${talksPerDay} conversations with Claude Code, Codex and OpenCode, most of them with a correction`,
  );
  const lives: Life[] = [];
  for (const seed of seeds) {
    log("");
    log(`seed ${seed}`);
    lives.push(await live(seed, log));
  }
  const problems = lives.flatMap(({ seed, problems: own }) =>
    own.map((problem) => `seed ${seed}: ${problem}`),
  );
  log("");
  for (const problem of problems) log(`NOT: ${problem}`);
  const mean = (pick: (life: Life) => number) =>
    Math.round((1000 * lives.reduce((sum, life) => sum + pick(life), 0)) / lives.length) / 1000;
  return {
    ok: problems.length === 0,
    figures: {
      seeds,
      trueScore: {
        before: mean(({ score }) => score[0]),
        first: mean(({ score }) => score[1]),
        second: mean(({ score }) => score[2]),
      },
      provenRules: lives.map(({ proven }) => proven),
      calls: lives.map(({ calls }) => calls),
      repeatedAfterKills: lives.map(({ repeated }) => repeated),
      inFlightAtKills: lives.map(({ inFlight }) => inFlight),
      textsSearched: lives.map(({ searched }) => searched),
      problems: problems.length,
    },
  };
}

interface Life {
  readonly seed: number;
  /** Of what agents read: before, after the first and after the second night. */
  readonly score: readonly [number, number, number];
  /** Rules that each night proved. */
  readonly proven: readonly [number, number];
  readonly calls: number;
  readonly repeated: number;
  readonly inFlight: number;
  readonly searched: number;
  readonly problems: readonly string[];
}

/** Two days and two nights of one person. */
async function live(seed: number, log: (line: string) => void): Promise<Life> {
  using root = temporaryDirectory("night");
  using backup = temporaryDirectory("night-backup");
  const place = makePlace(root.path);
  const world = nightWorld({ seed });
  await using server = await startScriptedServer({
    seed,
    world,
    latency: { kind: "uniform", minMs: 2, maxMs: 12 },
  });
  writeFileSync(
    join(place.project, "whetstone.config.json"),
    JSON.stringify({ ...nightConfig(server.url), sleep: { maxConversations: 60, maxTasks: 60 } }),
  );
  const planted = plantSecrets(place, seed);
  const problems: string[] = [];
  const check = (isSo: boolean, what: string) => {
    if (!isSo) problems.push(what);
  };
  const printed: string[] = [];
  const person = openPerson(place, planted, printed);
  const morning = Date.now() - 12 * 3_600_000;
  writeTalks(place.home, [
    ...dayOf({ seed, day: "one", cwd: place.project, endedAt: morning, talks: talksPerDay, first: 0 }),
    ...oddTalks(place, morning, planted),
  ]);

  check((await person.run("sleep", "run")).code === 2, "without consent nothing is read");
  check((await person.run("sleep", "init", "--yes")).code === 0, "`sleep init --yes` allows it");
  check((await person.run("sleep", "dry-run")).code === 0, "`sleep dry-run` shows what a night would do");
  check(server.callCount === 0, "no calls were made before the first night");

  const untouched = readLive(place);
  const first = await person.night();
  check(first.code === 0, `the first night succeeds: ${first.printed.slice(-300)}`);
  check(same(readLive(place), untouched), "no live file changed before adopt");
  const status = await person.run("sleep", "status", "--json");
  check(status.printed.includes('"staged":[{'), "`sleep status` shows what's waiting");
  const staged = await decidable(place);
  const provenFirst = provenOf(staged);
  log(`  night 1: ${first.sentence} (${server.callCount} calls)`);

  await adoptAll(person, staged, check);
  const adopted = readLive(place);
  check(!same(adopted, untouched), "adopting changes the live files");
  for (const { id } of staged.toReversed())
    check((await person.run("undo", id)).code === 0, `${id} can be undone`);
  check(same(readLive(place), untouched), "undo restores the exact bytes");
  await adoptAll(person, staged, check);
  check(same(readLive(place), adopted), "adopting again gives the same bytes");

  const known = knownRules(place);
  writeTalks(
    place.home,
    dayOf({
      seed,
      day: "two",
      cwd: place.project,
      endedAt: Date.now() - 60_000,
      talks: talksPerDay,
      first: 100,
      known,
    }),
  );
  // the same night twice from the same bytes: once uninterrupted, once killed
  const kept = { [root.path]: join(backup.path, "home"), [place.journalDir]: join(backup.path, "journal") };
  for (const [from, to] of Object.entries(kept))
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
  const askedInPeace = countCalls(server);
  const peaceful = await person.night();
  check(peaceful.code === 0, `the second night succeeds: ${peaceful.printed.slice(-300)}`);
  const expected = new Set(askedInPeace().keys());
  const offeredInPeace = offers(place);
  for (const [folder, copy] of Object.entries(kept)) putBack(folder, copy);
  const killed = await killedNight(seed, expected, { place, person, server });
  for (const violation of killed.violations) check(false, violation);
  check(killed.inFlight > 0, "a kill found calls in flight");
  check(
    JSON.stringify(offers(place)) === JSON.stringify(offeredInPeace),
    "a killed night proposes the same as an uninterrupted one",
  );
  check(same(readLive(place), adopted), "no live file changed in the second night");
  const second = await decidable(place);
  check(provenFirst + provenOf(second) > 0, "two nights prove a rule");
  log(
    `  night 2: ${peaceful.sentence} (${expected.size} calls; killed ${kills} times, ${killed.repeated} of ${killed.inFlight} calls in flight repeated)`,
  );
  await adoptAll(person, second, check);
  for (const problem of keptRules(untouched, adopted, readLive(place))) check(false, problem);

  const score = [untouched, adopted, readLive(place)].map((documents) =>
    world.trueScore(Object.values(documents).join("\n"), truthRequests),
  ) as unknown as Life["score"];
  log(
    `  true score: ${score.map((value) => value.toFixed(3)).join(" → ")}; rules known: ${knownRules(place).join(", ")}`,
  );
  check(score[1] > score[0] + 0.15, "the first night's rules really help");
  check(score[2] >= score[1] - 0.02, "the second night loses nothing");
  check(!Object.values(readLive(place)).some(isMisled), "no harmful rule is live");

  const texts = [
    ...readTexts(place.journalDir),
    ...Object.values(readLive(place)),
    ...printed,
    ...server.calls.map(({ request }) => JSON.stringify(request)),
  ];
  for (const secret of planted.secrets)
    check(
      texts.every((text) => !text.includes(secret)),
      `a secret (${secret.slice(0, 4)}…) got out`,
    );
  check(
    texts.every((text) => !text.includes(planted.elsewhere)),
    "another project was read",
  );
  check(
    texts.every((text) => !text.includes(planted.own)),
    "a conversation of our own making was read",
  );
  check(
    texts.some((text) => text.includes("«SECRET:")),
    "a placeholder replaces a secret",
  );
  return {
    seed,
    score,
    proven: [provenFirst, provenOf(second)],
    calls: server.callCount,
    repeated: killed.repeated,
    inFlight: killed.inFlight,
    searched: texts.length,
    problems,
  };
}

interface Planted {
  readonly secrets: readonly string[];
  /** A word that only another project's conversation holds. */
  readonly elsewhere: string;
  /** A word that only a conversation of our own making holds. */
  readonly own: string;
}

/** A vendor's token, a password in `.env` and a key in the environment; all made up. */
function plantSecrets({ project }: NightPlace, seed: number): Planted {
  const made = (name: string, length: number) => hash("sha256", `${seed} ${name}`).slice(0, length);
  const secrets = [`ghp_${made("token", 36)}`, `Rk7-${made("password", 14)}`, `wh-${made("key", 24)}`];
  writeFileSync(join(project, ".env"), `DATABASE_PASSWORD=${secrets[1]}\n`);
  return { secrets, elsewhere: `elsewhere${made("elsewhere", 8)}`, own: `own${made("own", 8)}` };
}

/** Conversations that contain a secret, belong to another project, or come from one of our own programs. */
function oddTalks(
  { project, home }: NightPlace,
  at: number,
  { secrets, elsewhere, own }: Planted,
): readonly Talk[] {
  const [token = "", password = "", key = ""] = secrets;
  const [packages, commits] = houseRules;
  const request = (rule: (typeof houseRules)[number] | undefined, n: number) => rule?.request(n) ?? "";
  const base = { endedAt: at + 60_000 };
  return [
    {
      ...base,
      agent: "claude-code",
      name: "secret one",
      cwd: project,
      turns: [
        {
          prompt: `${request(packages, 90)}\nThe registry wants the token ${token}.`,
          answer: `I set ${token}.`,
        },
        { prompt: "no, use pnpm", answer: "Run `pnpm add`." },
      ],
      output: `//registry/:_authToken=${token}`,
    },
    {
      ...base,
      agent: "codex",
      name: "secret two",
      cwd: project,
      turns: [
        {
          prompt: `${request(commits, 91)}\nThe database opens with ${password}, by the way.`,
          answer: "Done.",
        },
        { prompt: "no, put the ticket first, in square brackets", answer: `[SHOP] ${password}` },
      ],
      output: `password ${password}`,
    },
    {
      ...base,
      agent: "opencode",
      name: "secret three",
      cwd: join(project, "packages", "mailer"),
      turns: [
        {
          prompt: `Why does ${key} not work? I said SHOP_API_KEY=${key} in the shell.`,
          answer: "It is fine.",
        },
      ],
    },
    {
      ...base,
      agent: "claude-code",
      name: "elsewhere",
      cwd: join(home, "code", "other"),
      turns: [{ prompt: `${request(packages, 92)} ${elsewhere}`, answer: "Yes." }],
    },
    { ...base, agent: "codex", name: "above", cwd: home, turns: [{ prompt: elsewhere, answer: "Yes." }] },
    {
      ...base,
      agent: "opencode",
      name: "own",
      cwd: project,
      turns: [{ prompt: `${whetstoneMarker}\n${own}`, answer: "ok" }],
    },
  ];
}

interface Person {
  run(...words: readonly string[]): Promise<CommandEnd>;
  night(onStart?: Parameters<typeof runCli>[2]): Promise<NightEnd>;
}

interface NightEnd extends CommandEnd {
  readonly sentence: string;
}

/** Somebody who types commands in the project's folder, with a home and variables of their own. */
function openPerson({ project, home }: NightPlace, { secrets }: Planted, printed: string[]): Person {
  const env = { ...programsOnly(), HOME: home, SHOP_API_KEY: secrets[2] ?? "" };
  const run = async (words: readonly string[], onStart?: Parameters<typeof runCli>[2]) => {
    const end = await runCli(words, { cwd: project, env }, onStart);
    printed.push(end.printed);
    return end;
  };
  return {
    run: (...words) => run(words),
    async night(onStart) {
      const end = await run(["sleep", "run"], onStart);
      const lines = end.printed.split("\n");
      const at = lines.findIndex((line) => /^ {2}night \d{4}: /.test(line));
      return { ...end, sentence: lines[at - 1] ?? "" };
    },
  };
}

/** The bytes of everything that nights may change. */
const readLive = ({ documents }: NightPlace): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(documents).map(([name, path]) => [name, readFileSync(path, "latin1")]));

const same = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** Proposals that wait with something proven or stated; what is only promising stays where it is. */
const decidable = async ({ journalDir }: NightPlace): Promise<readonly Review[]> =>
  (await review({ journal: journalDir })).waiting.filter(
    ({ state, rules }) => state === "staged" && rules.some(({ status }) => status !== "open"),
  );

const provenOf = (reviews: readonly Review[]): number =>
  reviews.flatMap(({ rules }) => rules).filter(({ status }) => status === "proven").length;

/** Adopts all of them, as a person does who reads what is new in them before they say yes to it. */
async function adoptAll(
  person: Person,
  reviews: readonly Review[],
  check: (isSo: boolean, what: string) => void,
): Promise<void> {
  for (const { id, rules } of reviews) {
    const powers = rules
      .filter(({ status }) => status !== "open")
      .flatMap((rule) => rule.powers)
      .filter(({ rank }) => rank === "ask");
    if (powers.length > 0) {
      const refused = await person.run("adopt", id);
      check(refused.code === 2, `${id} is refused until someone acknowledges its permissions`);
    }
    const words = powers.flatMap((power) => ["--acknowledge", power.id]);
    const { code, printed } = await person.run("adopt", id, ...words);
    check(code === 0, `${id} can be adopted: ${printed.slice(0, 300)}`);
  }
}

/** Names of the rules that live documents state. */
function knownRules(place: NightPlace): readonly string[] {
  const all = Object.values(readLive(place)).join("\n");
  return houseRules.filter(({ sentence }) => all.includes(sentence)).map(({ name }) => name);
}

const isMisled = (text: string): boolean => houseRules.some(({ harmful }) => text.includes(harmful));

/** Waiting proposals, without the time they were staged. */
const offers = ({ journalDir }: NightPlace) =>
  readStaged(journalDir).map(({ id, state, rules, rejected }) => ({ id, state, rules, rejected }));

interface KilledNight {
  readonly repeated: number;
  readonly inFlight: number;
  readonly violations: readonly string[];
}

/** Kills the night in the middle and types the same command again, until it ends by itself. */
async function killedNight(
  seed: number,
  expected: ReadonlySet<string>,
  {
    place,
    person,
    server,
  }: { readonly place: NightPlace; readonly person: Person; readonly server: ScriptedServer },
): Promise<KilledNight> {
  const random = seededRandom("night-kill", seed);
  const asked = countCalls(server);
  const deaths: Death[] = [];
  const before = server.callCount;
  for (let round = 0; round <= kills; round += 1) {
    // the second kill comes later than the first, so that each finds new work under way
    const fatal = before + Math.floor(expected.size * (0.2 + 0.35 * round + 0.25 * random()));
    let watch: NodeJS.Timeout | undefined;
    const { code } = await person.night((child) => {
      if (round === kills) return;
      watch = setInterval(() => {
        if (server.callCount >= fatal) child.kill("SIGKILL");
      }, 1);
    });
    clearInterval(watch);
    if (round === kills) {
      if (code !== 0)
        return { repeated: 0, inFlight: 0, violations: [`the night that was killed ended with ${code}`] };
      continue;
    }
    // what the dead process had sent is still being answered
    do await wait(20);
    while (server.inFlight() > 0);
    deaths.push(describeDeath(asked(), await readJournalState(place.journalDir)));
  }
  const end = await readJournalState(place.journalDir);
  // the journal holds the first night as well: whose sum is whose is for `proof kill`
  const { repeated, violations } = settleCalls(
    asked(),
    deaths,
    { ...end, saidSpent: { ...end.ledger.spent } },
    expected,
  );
  return { repeated, inFlight: deaths.reduce((sum, death) => sum + death.inFlight.size, 0), violations };
}

/** Faults of a later version: it lost a rule of an earlier one, or changed the person's own text. */
function keptRules(
  original: Readonly<Record<string, string>>,
  earlier: Readonly<Record<string, string>>,
  later: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.keys(original).flatMap((name) => {
    const [first, then, now] = [original[name] ?? "", earlier[name] ?? "", later[name] ?? ""];
    const [before, after] = [readRules(then), readRules(now)];
    return [
      ...(before.every((rule, at) => rule === after[at])
        ? []
        : [`${name}: a rule of the first night is gone or changed`]),
      ...(outside(now).startsWith(first) && outside(then).startsWith(first)
        ? []
        : [`${name}: text outside the learned block changed`]),
      ...(now.startsWith(blockSoFar(then)) ? [] : [`${name}: the bytes of the first night's rules changed`]),
    ];
  });
}

function outside(text: string): string {
  const inside = findLearned(text);
  return inside === null ? text : text.slice(0, inside.start) + text.slice(inside.end);
}

/** Everything up to the end of the last learned rule. */
function blockSoFar(text: string): string {
  const inside = findLearned(text);
  return inside === null ? text : text.slice(0, inside.end);
}

function putBack(root: string, backup: string): void {
  rmSync(root, { recursive: true });
  mkdirSync(root);
  cpSync(backup, root, { recursive: true, preserveTimestamps: true });
}

/** Every file below, as characters whatever it holds. */
const readTexts = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));

/** Start and end of the learned block's content. */
function findLearned(text: string): { readonly start: number; readonly end: number } | null {
  const opening = "<!-- whetstone:learned:start -->";
  const [start, end] = [text.indexOf(opening), text.indexOf("<!-- whetstone:learned:end -->")];
  return start === -1 || end === -1 ? null : { start: start + opening.length, end };
}

/** The items of the learned block, one for each rule. */
function readRules(text: string): readonly string[] {
  const { start, end } = findLearned(text) ?? { start: 0, end: 0 };
  return text
    .slice(start, end)
    .trim()
    .split(/\r?\n(?=[-*+] )/)
    .map((rule) => rule.trim())
    .filter((rule) => rule !== "");
}
