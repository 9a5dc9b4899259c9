import { allTasks } from "../../core/tasks/few-tasks.ts";
import { resolve } from "node:path";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Context } from "../../core/context.ts";
import type { EventBody, RunCommand } from "../../core/events.ts";
import { asJson } from "../../core/json.ts";
import type { Role } from "../../core/ports/model.ts";
import { shortIdentity } from "../../core/skill/hash.ts";
import { leftAsideOf } from "../../core/tasks/left-aside.ts";
import { describeSkill, skillName } from "../../core/tasks/describe-skill.ts";
import { calledRoles } from "./calibrate-judge.ts";
import type { Session } from "./session.ts";

/** The skill of a run, in words. */
export const skillSizeOf = ({ skill, settings, isAgent = false, environment }: Resolved): string =>
  describeSkill({ skill, track: settings.track, isAgent, environment: environment.name });

type RunStart = EventBody & { readonly type: "run-start" };

export interface Start {
  readonly command: RunCommand;
  /** The roles to call, apart from a judge that tasks may need. */
  readonly roles: readonly Role[];
  readonly resolved: Resolved;
  /** @default 0 */
  readonly steps?: number;
  /** Replaces parts of the event. */
  readonly start?: Partial<RunStart>;
}

/** The first event of every run. */
export function startEvent(
  { command, roles, resolved, steps = 0, start }: Start,
  folder: string,
  { ledger, finishedBefore, context }: Session,
): RunStart {
  const { settings, skill, skillPath, splits, models, hosts } = resolved;
  const leftAside = leftAsideOf(allTasks(splits));
  return {
    type: "run-start",
    command,
    skill: shortIdentity(skill),
    skillName: skillName(skill),
    ...(skillPath === "" ? {} : { skillPath: resolve(skillPath) }),
    skillSize: skillSizeOf(resolved),
    models: Object.fromEntries(calledRoles(roles, resolved).map((role) => [role, models[role]])),
    hosts,
    tasks: { train: splits.train.length, val: splits.val.length, test: splits.test.length },
    steps,
    resumed: ledger.results,
    finished: finishedBefore,
    spent: ledger.spent,
    caps: resolved.spend,
    folder,
    settings: asJson(settings),
    ...leftOutOf(context),
    ...(leftAside.length === 0 ? {} : { leftAside }),
    ...start,
  };
}

/** The tasks that a run leaves out, for its first event and its summary. */
export const leftOutOf = ({ leftOut }: Pick<Context, "leftOut">): { readonly leftOut?: readonly string[] } =>
  leftOut === undefined || leftOut.size === 0 ? {} : { leftOut: [...leftOut].toSorted() };
