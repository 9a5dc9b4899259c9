import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { whetstoneMarker } from "../support/whetstone-marker.ts";
import { type SleepProject, makeSleepProject, remembered } from "../../test/support/commit-project.ts";
import {
  type SleepRole,
  commitRequests,
  roleOf,
  servedWorld,
  ticketRule,
} from "../../test/support/commit-world.ts";
import { answerHandoff, answerSheet } from "../../test/support/answer-handoff.ts";
import type { ChatWorld } from "../../src/testing/index.ts";
import { sleepCommand } from "../support/sleep-command.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

export interface HandoffNightOptions {
  readonly seed: number;
  /** Every second conversation uses this skill. */
  readonly skill?: string;
  /** A conversation holds a token. */
  readonly secret?: boolean;
  /** Tasks come from a file, not from conversations. */
  readonly reviewed?: boolean;
  /** Every rollout is asked for too, one file for each; else words alone, through one file. */
  readonly all?: boolean;
}

export interface Round {
  /** Questions by role. */
  readonly asked: Readonly<Partial<Record<SleepRole, number>>>;
  /** That the command took. */
  readonly seconds: number;
}

export interface HandoffNight {
  readonly rounds: readonly Round[];
  readonly questions: number;
  /** Of the last run. */
  readonly code: number | null;
  readonly sentence: string;
  readonly problems: readonly string[];
}

const tasks = 10;
const mostRounds = 25;
const token = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;

/** The same command until the night is done; between two runs every question that waits is answered. */
export async function nightByHand(options: HandoffNightOptions): Promise<HandoffNight> {
  const { seed, skill, secret = false, reviewed = false, all = false } = options;
  using place = temporaryDirectory("handoff");
  const role = "handoff/me";
  const project = await makeSleepProject({
    folder: place.path,
    conversations: reviewed ? 0 : tasks,
    config: { target: role, optimizer: role, judge: role, miner: role, spend: { calls: 5000 }, seed },
    ...(skill === undefined ? {} : { skill }),
  });
  if (secret) tellSecret(project);
  const told = all ? ["--by-hand", "all"] : [];
  const args = ["run", ...told, ...(reviewed ? ["--tasks", writeReviewed(project)] : [])];
  const folder = join(project.journalDir, "handoff");
  const rounds: Round[] = [];
  const keys: string[] = [];
  let unmarked = 0;
  let leaks = 0;
  let unlisted = 0;
  for (;;) {
    const { code, printed, ms } = await sleepCommand(project, args);
    if (code !== 3 || rounds.length === mostRounds) {
      const problems = [
        ...(code === 0 ? [] : [`it ends with 0, not ${code}: ${printed.slice(-600)}`]),
        ...problemsAtEnd(project, folder),
        ...(unmarked === 0 ? [] : [`${unmarked} questions do not begin with the marker`]),
        ...(leaks === 0 ? [] : [`${leaks} questions hold the secret`]),
        ...(unlisted === 0 ? [] : [`${unlisted} rounds are not all in one file`]),
        ...(new Set(keys).size === keys.length ? [] : ["a question was asked again"]),
      ];
      const { state } = remembered(project);
      return { rounds, questions: keys.length, code, sentence: state?.nights[0]?.sentence ?? "", problems };
    }
    for (const name of filesIn(join(folder, "pending"))) {
      const text = readFileSync(join(folder, "pending", name), "utf8");
      keys.push(name);
      if (!text.startsWith(whetstoneMarker)) unmarked += 1;
      if (text.includes(token)) leaks += 1;
    }
    const asked: Partial<Record<SleepRole, number>> = {};
    const world = counting(
      servedWorld({
        seed,
        judged: true,
        luck: 0.4,
        ...(all ? {} : { wording: ticketRule }),
      }),
      asked,
    );
    const pending = filesIn(join(folder, "pending")).length;
    if (all) answerHandoff(folder, world);
    else if (answerSheet(folder, world)?.length !== pending) unlisted += 1;
    if (!readFileSync(join(folder, "questions.md"), "utf8").startsWith(whetstoneMarker)) unmarked += 1;
    rounds.push({ asked, seconds: Math.round(ms / 100) / 10 });
  }
}

function problemsAtEnd(project: SleepProject, folder: string): readonly string[] {
  const { proposals, state } = remembered(project);
  const loose = ["questions.md", "answers.md"].filter((name) => existsSync(join(folder, name)));
  const left = [...loose, ...["pending", "answers"].flatMap((name) => filesIn(join(folder, name)))];
  const { length: nights } = readdirSync(join(project.journalDir, "sleep/nights"));
  const found = proposals.length === 1 ? [] : [`one proposal, not ${proposals.length}`];
  if (left.length > 0) found.push(`${left.length} files are left in ${folder}`);
  if (nights !== 1 || state?.nights.length !== 1) found.push(`one night, not ${nights}`);
  return found;
}

const filesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Counts who was asked. */
const counting = (world: ChatWorld, asked: Partial<Record<SleepRole, number>>): ChatWorld => ({
  reply(request) {
    const role = roleOf({
      system: request.system,
      prompt: request.messages.map(({ content }) => content).join("\n\n"),
    });
    asked[role] = (asked[role] ?? 0) + 1;
    return world.reply(request);
  },
});

/** A person typed a token into the first conversation. */
function tellSecret({ home, path }: SleepProject): void {
  const folder = join(home, ".claude/projects/-home-shop");
  const [first = ""] = readdirSync(folder).toSorted();
  const file = join(folder, first);
  const last = JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "{}") as {
    readonly timestamp: string;
    readonly sessionId: string;
  };
  const content = `Thanks. Push it with GITHUB_TOKEN=${token} please.`;
  const record = { ...last, type: "user", uuid: "secret", cwd: path, message: { role: "user", content } };
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

function writeReviewed({ path }: SleepProject): string {
  const rows = commitRequests.slice(0, tasks).map((input, at) => ({
    id: `m-${String(at).padStart(12, "0")}`,
    input,
    checks: [{ kind: "rubric", value: "The message says where it was asked for." }],
  }));
  writeFileSync(join(path, "tasks.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return "tasks.jsonl";
}
