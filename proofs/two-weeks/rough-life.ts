import { settle } from "./settle.ts";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Review, adopt, review, runNight } from "../../src/index.ts";
import { readNightState } from "../../test/support/night-files.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { atInstant } from "./life.ts";
import { type RoughTalk, lastingTalks, recordsOf, roughTalks, topics } from "./rough-talks.ts";
import { roughWorld } from "./rough-world.ts";
import { pathOf } from "./scene.ts";

/** What a fortnight of a person who changes their mind came to. */
export interface RoughLife {
  /** Wishes that hold sentences of two opposite topics. */
  readonly opposites: number;
  /** Nights that ended with an error. */
  readonly stuck: number;
  /** Rules that wait at the end and that the person doesn't want. */
  readonly unwanted: readonly string[];
  /** Of the corrections that last, those that a wish counts. */
  readonly counted: number;
  readonly lasting: number;
  /** Changes and withdrawals, and those that the next night followed. */
  readonly turns: number;
  readonly followed: number;
  readonly calls: number;
}

const [dayMs, hourMs, fortnight] = [86_400_000, 3_600_000, 14];
const firstDay = (Math.floor(Date.now() / dayMs) - fortnight) * dayMs;

/** The night after which the person adopts all that is offered: before they change their mind, so that files have to follow. */
const adopting = 7;

export async function liveRoughly(seed: number, noise: number): Promise<RoughLife> {
  using root = temporaryDirectory("two-weeks-rough");
  const scene = await settle(root.path, { seed, world: roughWorld({ seed, noise }), at: firstDay });
  const { home, project, journalDir, config } = scene;
  await using server = scene.server;
  let [stuck, turns, followed] = [0, 0, 0];
  for (let night = 1; night <= fortnight; night += 1) {
    const today = roughTalks.filter(({ day }) => day === night);
    for (const talk of today) writeRoughly(talk, { home, project });
    const at = firstDay + night * dayMs + 23.5 * hourMs;
    // the same command goes on with a night that was stopped
    const attempt = () => atInstant(at, () => runNight({ ...config, cwd: project }));
    await attempt().catch(() => attempt().catch(() => (stuck += 1)));
    const offered = await waitingFor(journalDir);
    for (const { found } of today) {
      const against =
        found === undefined ? undefined : (topics[found.topic] as { against?: { topic: string } }).against;
      if (against === undefined) continue;
      const gone = topics[against.topic as keyof typeof topics].rule;
      const isFirst = !roughTalks.some((one) => one.day < night && one.found?.topic === found?.topic);
      if (!isFirst) continue;
      turns += 1;
      // nothing adds the old rule any more, and where a file has it, something replaces or deletes it
      const isThere = filesOf({ home, project }).some((text) => text.includes(`- ${gone}\n`));
      const edits = offered.flatMap(({ edit }) => (edit.kind === "learned" ? [edit] : []));
      const isAdded = edits.some((edit) => edit.op === "add" && edit.text === gone);
      const isTurned = edits.some((edit) => edit.op !== "add" && edit.target === gone);
      if (!isAdded && (isTurned || !isThere)) followed += 1;
    }
    if (night === adopting) await atInstant(at, () => adoptAll(journalDir, project));
  }
  const { wishes = [] } = readNightState(journalDir) ?? {};
  const topicsOf = (texts: readonly string[]) =>
    Object.entries(topics).filter(([, { says }]) => texts.some((text) => says.test(text)));
  const opposites = wishes.filter(({ said }) => {
    const names = topicsOf(said.map(({ text }) => text)).map(([name]) => name);
    return names.some((name) =>
      names.includes((topics as Record<string, { against?: { topic: string } }>)[name]?.against?.topic ?? ""),
    );
  });
  const said = wishes.flatMap((wish) => [...wish.said, ...(wish.against ?? [])].map(({ text }) => text));
  const counted = lastingTalks.filter(({ turns: [, second] }) =>
    said.some((text) => second?.[0].includes(text) === true),
  );
  const wanted = Object.values(topics).flatMap(({ rule, isWanted }) => (isWanted ? [rule] : []));
  const waiting = await waitingFor(journalDir);
  const adds = waiting.filter(({ edit }) => edit.kind === "learned" && edit.op !== "delete");
  return {
    opposites: opposites.length,
    stuck,
    unwanted: [...new Set(adds.map(({ text }) => text))].filter(
      (text) => !wanted.includes(text) && !topicsOf([text]).some(([, { isWanted }]) => isWanted),
    ),
    counted: counted.length,
    lasting: lastingTalks.length,
    turns,
    followed,
    calls: server.callCount,
  };
}

/** The standing instructions of the project and of the person. */
const filesOf = ({ home, project }: { readonly home: string; readonly project: string }): readonly string[] =>
  [
    join(project, "CLAUDE.md"),
    join(project, "AGENTS.md"),
    join(home, ".claude/CLAUDE.md"),
    join(home, ".codex/AGENTS.md"),
  ].flatMap((path) => (existsSync(path) ? [readFileSync(path, "utf8")] : []));

async function waitingFor(journalDir: string): Promise<readonly Review["rules"][number][]> {
  const { waiting } = await review({ journal: journalDir });
  return waiting.flatMap(({ rules }) => rules);
}

async function adoptAll(journalDir: string, project: string): Promise<void> {
  // the proof speaks for the person
  await import("../../test/support/person.ts");
  const { waiting } = await review({ journal: journalDir });
  for (const { id, rules } of waiting)
    await adopt({
      run: id,
      journal: journalDir,
      cwd: project,
      accept: rules.map((rule) => rule.id),
      unproven: true,
      acknowledge: rules.flatMap(({ powers }) => powers.map((power) => power.id)),
    });
}

function writeRoughly(
  talk: RoughTalk,
  { home, project }: { readonly home: string; readonly project: string },
): void {
  const endedAt = firstDay + talk.day * dayMs + talk.hour * hourMs;
  const number = String(roughTalks.indexOf(talk)).padStart(12, "0");
  const session = `00000000-0000-4000-8000-${number}`;
  const path = pathOf(talk.agent, session, endedAt, { home, project });
  mkdirSync(dirname(path), { recursive: true });
  const lines = recordsOf(talk, { session, cwd: project, at: endedAt });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  utimesSync(path, endedAt / 1000, endedAt / 1000);
}
