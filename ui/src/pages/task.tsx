import type { RolloutRef, RunReport } from "../../../src/report/model.ts";
import { rolloutsOf } from "../../../src/report/rollouts-of.ts";
import { MarkSign, markWords } from "../components/marks.tsx";
import { Loaded, Message } from "../components/message.tsx";
import { Rollout } from "../components/rollout.tsx";
import { replacePlace } from "../context.ts";
import { percent, plural } from "../format.ts";
import { markOf, evaluationOf, nameRollout, rulesWords } from "../rollout-marks.ts";
import { type Query, linkTo } from "../router.ts";
import { useRun } from "../use-load.ts";
import { chooseRollouts } from "./choose-rollouts.ts";
import { flagWords, flagsOf } from "./filter-tasks.ts";
import { FlagBadge } from "./tasks.tsx";
import "./tasks.css";

/** One task with all its rollouts, one or two of them open. */
export function TaskPage({
  run,
  task,
  query,
}: {
  readonly run: string;
  readonly task: string;
  readonly query: Query;
}) {
  return (
    <Loaded load={useRun(run)} what="the run">
      {(report) => <Task report={report} id={task} query={query} />}
    </Loaded>
  );
}

function Task({
  report,
  id,
  query,
}: {
  readonly report: RunReport;
  readonly id: string;
  readonly query: Query;
}) {
  const run = report.overview.id;
  const place = report.tasks.findIndex((one) => one.id === id);
  const task = report.tasks[place];
  if (task === undefined) {
    return (
      <Message title={`Run ${run.slice(0, 8)} has no task "${id}".`}>
        <a href={linkTo({ page: "tasks", run })}>See all its tasks.</a>
      </Message>
    );
  }
  const rollouts = rolloutsOf(report, place);
  const open = openRollouts(rollouts, query);
  return (
    <>
      <p>
        <a href={linkTo({ page: "tasks", run })}>All tasks</a>
      </p>
      <h1>{id}</h1>
      <p>
        {task.split} task, {plural(rollouts.length, "rollout")}
        {task.rollouts > rollouts.length &&
          ` (${(task.rollouts - rollouts.length).toLocaleString("en")} more aren't in this file)`}
        {task.before !== undefined && task.after !== undefined && (
          <>
            , passes {percent(task.before)} with the original and {percent(task.after)} with the best skill
          </>
        )}
      </p>
      {flagsOf(task).map((flag) => (
        <p key={flag}>
          <FlagBadge flag={flag} /> {flagWords[flag].meaning}
        </p>
      ))}
      {task.input !== "" && (
        <details>
          <summary>What was asked</summary>
          <p class="task-input">{task.input}</p>
        </details>
      )}
      <RolloutList run={run} task={id} rollouts={rollouts} open={open} />
      {open.length === 0 && rollouts.length > 0 && query["open"] !== "" && (
        <p class="empty">
          This report doesn't contain the rollout in the address. Choose another one, or see all of them with{" "}
          <code>whetstone ui</code>.
        </p>
      )}
      <div class="beside">
        {open.map((rollout) => (
          <Rollout key={rollout.ref} run={run} rollout={rollout} />
        ))}
      </div>
    </>
  );
}

function RolloutList({
  run,
  task,
  rollouts,
  open,
}: {
  readonly run: string;
  readonly task: string;
  readonly rollouts: readonly RolloutRef[];
  readonly open: readonly RolloutRef[];
}) {
  if (rollouts.length === 0)
    return <p class="empty">This task has no results yet. Rollouts appear here as they come in.</p>;
  const place = (refs: readonly string[]) =>
    replacePlace(linkTo({ page: "task", run, task }, { open: refs.join(" ") }));
  const press = (ref: string) => {
    const refs = open.map((one) => one.ref);
    // a third one replaces the one opened first
    place(refs.includes(ref) ? refs.filter((one) => one !== ref) : [...refs.slice(-1), ref]);
  };
  return (
    <section class="panel rollouts" aria-label="Rollouts">
      <h2>Rollouts</h2>
      <p class="soft">Choose one to read it, or two to compare them side by side.</p>
      <ul class="rollout-list">
        {[...Map.groupBy(rollouts, evaluationOf)].map(([key, group]) => (
          <li key={key}>
            <span class="what">{nameGroup(group)}</span>
            {group.map((rollout) => (
              <RolloutChip
                key={rollout.ref}
                rollout={rollout}
                isOpen={open.includes(rollout)}
                onPress={() => press(rollout.ref)}
              />
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function nameGroup([first]: readonly RolloutRef[]): string {
  if (first === undefined) return "";
  return first.rules === undefined ? nameRollout(first).name : `step ${first.step}, on val with`;
}

function RolloutChip({
  rollout,
  isOpen,
  onPress,
}: {
  readonly rollout: RolloutRef;
  readonly isOpen: boolean;
  readonly onPress: () => void;
}) {
  const mark = markOf(rollout.hard);
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isOpen}
      title={rollout.rules?.join(", ")}
      onClick={onPress}
    >
      <MarkSign mark={mark} />{" "}
      {rollout.rules === undefined ? `trial ${rollout.trial + 1}` : rulesWords(rollout.rules)}{" "}
      {markWords[mark]}
    </button>
  );
}

/** The rollouts in the address, or else the most telling ones. */
function openRollouts(rollouts: readonly RolloutRef[], query: Query): readonly RolloutRef[] {
  if (query["open"] === undefined) return chooseRollouts(rollouts);
  const byRef = new Map(rollouts.map((rollout) => [rollout.ref, rollout]));
  return query["open"].split(" ").flatMap((ref) => byRef.get(ref) ?? []);
}
