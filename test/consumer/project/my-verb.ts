import type { CallOptions } from "whetstone";
import {
  type Evaluation,
  type Performed,
  type Resolved,
  type Verb,
  measureSkill,
  performCall,
  runId,
} from "whetstone/ports";

export interface Checkup {
  readonly sentence: string;
  readonly tasks: number;
  readonly passed: number;
}

/** A verb of our own: the skill on all train tasks, once. Resume, caps, events and the report come with it. */
export const checkUp = (options: CallOptions): Promise<Performed<Evaluation, Checkup>> =>
  performCall(options, ["target"], ({ resolved }) => checkUpVerb(resolved));

function checkUpVerb(resolved: Resolved): Verb<Evaluation, Checkup> {
  const { skill, splits } = resolved;
  return {
    command: "my-checkup",
    roles: ["target"],
    resolved,
    id: runId("my-checkup", resolved),
    run: (context) =>
      measureSkill(
        skill,
        "train",
        splits.train,
        { purpose: "baseline", trial: 0 },
        { role: "target", step: 0, stage: "evaluate" },
        context,
      ),
    tell({ score }) {
      const tasks = splits.train.length;
      const passed = Math.round((score?.hard ?? 0) * tasks);
      const sentence = `${passed} of ${tasks} train tasks pass.`;
      return { sentence, summary: { sentence, tasks, passed } };
    },
  };
}
