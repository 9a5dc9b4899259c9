import { seededRandom, shuffle } from "../../src/testing/index.ts";
import type { Agent, Talk } from "./histories.ts";
import { type HouseRule, houseRules, remarks } from "./house.ts";

export const skillName = "release-notes";

export interface DayOptions {
  readonly seed: number;
  /** Its name: ids are made of it. */
  readonly day: string;
  readonly cwd: string;
  /** When the last conversation of it ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  readonly talks: number;
  /** The number of the first request of each kind: no day asks what another asked. */
  readonly first: number;
  /** Rules that agents already know by then: nobody has to correct them. */
  readonly known?: readonly string[];
  /** How much agents say beside what they were asked for. @default 1 */
  readonly verbosity?: number;
  /** @default all three */
  readonly agents?: readonly Agent[];
}

/** A day's conversations: requests of all kinds, most of them answered wrongly and corrected, some small talk. */
export function dayOf(options: DayOptions): readonly Talk[] {
  const { seed, day, cwd, endedAt, talks, first, known = [], verbosity = 1 } = options;
  const { agents = ["claude-code", "claude-code", "codex", "opencode"] } = options;
  const random = seededRandom("night-day", seed, day);
  const kinds = shuffle(
    Array.from({ length: talks }, (_, at) => houseRules[at % houseRules.length] as HouseRule),
    random,
  );
  const asked = new Map<HouseRule, number>();
  return kinds.map((rule, at): Talk => {
    const n = first + (asked.get(rule) ?? 0);
    const agent = agents[at % agents.length] ?? "claude-code";
    const draw = random();
    const base = {
      agent,
      name: `${seed} ${day} ${at}`,
      cwd,
      endedAt: endedAt - (talks - at) * 60_000,
      ...(rule.home === "skill" ? { skill: skillName } : {}),
    };
    if (draw < 0.08)
      return { ...base, turns: [{ prompt: "thanks, that is all for today", answer: "See you." }] };
    // a request that came up the same day already
    const again = draw < 0.16 && n > first;
    if (!again) asked.set(rule, n - first + 1);
    const request = rule.request(again ? n - 1 : n);
    const fields = rule.read(request) ?? {};
    const isRight = known.includes(rule.name);
    const answer = (isObeyed: boolean) =>
      [...remarks(random, verbosity), rule.answer(fields, isObeyed)].join("\n\n");
    const stated = rule.name === "packages" && draw > 0.85;
    return {
      ...base,
      turns: [
        { prompt: request, answer: answer(isRight) },
        ...(isRight
          ? [{ prompt: "perfect, thank you", answer: "You are welcome." }]
          : [{ prompt: stated ? rule.sentence : rule.correction, answer: answer(true) }]),
      ],
      ...(draw > 0.5
        ? { output: `commit ${at}\n    Tidy the shelves of the warehouse before the winter sale begins` }
        : {}),
    };
  });
}
