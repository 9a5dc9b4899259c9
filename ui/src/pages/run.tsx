import { describeModels } from "../../../src/core/describe-models.ts";
import { unkeptSentence, verdictWords } from "../../../src/core/verdict-words.ts";
import { measuredRules, sortRules } from "../../../src/report/measured-rules.ts";
import type { RunOverview, RunReport } from "../../../src/report/model.ts";
import { pruneFigures } from "../../../src/report/prune-figures.ts";
import { CostPanel, ScorePanel, TimelinePanel } from "../components/run-charts.tsx";
import { forestRule } from "../components/measured-rules.tsx";
import { LiveProgress } from "../components/live-progress.tsx";
import { Loaded } from "../components/message.tsx";
import { PrunePanels } from "../components/prune-panels.tsx";
import { RuleForest } from "../components/rule-forest.tsx";
import { SealedPanel } from "../components/sealed-panel.tsx";
import { StepList } from "../components/step-list.tsx";
import { Diff } from "../components/diff.tsx";
import { VerdictFigures } from "../components/verdict-figures.tsx";
import { count, duration, formatUsd, nameOf, percent, plural, sentence, when } from "../format.ts";
import { verdictOf } from "../action-words.ts";
import { linkTo } from "../router.ts";
import { useRun } from "../use-load.ts";
import { changedFiles } from "./compare-files.ts";
import { countFlags, flagOrder, flagWords } from "./filter-tasks.ts";

/** A run at a glance: the verdict in words, then how it came about, then what it cost. */
export function RunPage({ run }: { readonly run: string }) {
  return (
    <Loaded load={useRun(run)} what="the run">
      {(report) => {
        const { overview, steps, baselines, failures, replies = [] } = report;
        const prune = pruneFigures(report);
        // a pruning has its own figures for both of its tests
        const sealed = prune === undefined ? report.sealed : undefined;
        // an empty slot next to a panel would look as if something were missing
        const hasFailures = failures.length > 0;
        const failuresFirst = sealed === undefined && hasFailures;
        const failuresLast = !failuresFirst && hasFailures;
        return (
          <>
            <Verdict report={report} />
            <Facts overview={overview} hasFailures={hasFailures} />
            <div class="panels">
              {replies.length > 0 && <ReplyPanel replies={replies} />}
              <RulePanel report={report} />
              <ChangePanel report={report} />
              {overview.steps > 0 && <ScorePanel report={report} />}
              {prune !== undefined && <PrunePanels run={overview.id} prune={prune} />}
              {sealed !== undefined && (
                <SealedPanel overview={overview} sealed={sealed} baselines={baselines} />
              )}
              <TaskPanel report={report} isWhole={sealed === undefined && !hasFailures} />
              {failuresFirst && <FailurePanel failures={failures} />}
              {steps.length > 0 && <StepList report={report} />}
              <CostPanel report={report} />
              <TimelinePanel report={report} />
              {failuresLast && <FailurePanel failures={failures} isWhole />}
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function Verdict({ report }: { readonly report: RunReport }) {
  const { overview, proposal } = report;
  const { id, next, code } = overview;
  const { sign, tone } = verdictOf(overview);
  return (
    <section class="verdict" aria-label="Verdict">
      <h1>
        <span class={tone} aria-hidden="true">
          {sign}
        </span>{" "}
        {headline(report)}
      </h1>
      <VerdictFigures report={report} />
      {report.live !== undefined && <LiveProgress live={report.live} />}
      {proposal === undefined && next !== undefined && (
        <p>
          Next: {next}
          {code !== undefined && <span class="soft"> ({code})</span>}
        </p>
      )}
      {proposal !== undefined && (
        <p>
          <a
            class={proposal.proven ? "button" : "button second"}
            href={linkTo({ page: "proposal", run: id })}
          >
            {proposal.state === "adopted" ? "Adopted: see what changed" : "Review the change"}
          </a>
        </p>
      )}
    </section>
  );
}

function headline({ overview, baseline, live }: RunReport): string {
  const { status, verdict, command, step, steps } = overview;
  if (status === "running") return live === undefined || steps === 0 ? "Running" : `Running: ${live.place}`;
  if (status === "stopped") return steps > 0 ? `Stopped at step ${step} of ${steps}` : "Stopped";
  if (command === "eval" && baseline !== undefined)
    return `${percent(baseline.value)}, between ${percent(baseline.low)} and ${percent(baseline.high)}`;
  return verdict === undefined
    ? `${commandWords[command] ?? command} ${nameOf(overview)}`
    : sentence(verdictWords[verdict].word).replace(/\.$/, "");
}

const commandWords: Readonly<Record<RunOverview["command"], string>> = {
  train: "Trained",
  eval: "Measured",
  compare: "Compared",
  draft: "Drafted tasks for",
  prune: "Pruned",
  sleep: "A night over",
};

function Facts({ overview, hasFailures }: { readonly overview: RunOverview; readonly hasFailures: boolean }) {
  const { id, command, models, hosts, tasks, leftAside = [], cost, startedAt, workedMs } = overview;
  const counts = Object.entries(tasks).flatMap(([split, number]) =>
    number > 0 ? [`${number} ${split}`] : [],
  );
  const facts = [
    ["Skill", nameOf(overview)],
    ["Run", <span class="mono">{`${command} ${id}`}</span>],
    ["Tasks", counts.join(", ")],
    ...(leftAside.length === 0 ? [] : [["Asserts left out", leftAside.join(", ")]]),
    ["Cost", `${formatUsd(cost.nanoUsd)}, ${plural(cost.calls, "call")}, ${count(cost.tokens)} tokens`],
    ["Time", `${duration(workedMs)}, started ${when(startedAt)}`],
    ...(hasFailures ? [] : [["Failed calls", "none"]]),
    ["Models", describeModels(models, hosts)],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function RulePanel({ report: { overview, summary } }: { readonly report: RunReport }) {
  const table = measuredRules(summary);
  const { kept, out } = sortRules(table?.rules ?? []);
  if (kept.length + out.length === 0) return null;
  const run = overview.id;
  const shown = kept.map((rule) => ({ ...forestRule(run, rule), more: undefined }));
  return (
    <section class="panel whole">
      <h2>
        Worth of each rule: points {table?.isCredit === true && "of partial credit "}on val, 95% interval
      </h2>
      {shown.length > 0 && <RuleForest label="Kept rules" rules={shown} />}
      <p>
        <a href={linkTo({ page: "skill", run })}>
          All {plural(kept.length + out.length, "rule")} with their tasks
        </a>{" "}
        <span class="soft">{unkeptSentence(out)}</span>
      </p>
    </section>
  );
}

/** The changed text, below the worth of its rules. */
function ChangePanel({ report }: { readonly report: RunReport }) {
  const files = changedFiles(report);
  if (files.length === 0) return null;
  return (
    <section class="panel whole">
      <h2>Changes to the skill</h2>
      {files.map(({ path, before, after }) => (
        <Diff key={path} before={before} after={after} label={path} />
      ))}
    </section>
  );
}

function TaskPanel({
  report: { overview, tasks },
  isWhole,
}: {
  readonly report: RunReport;
  readonly isWhole: boolean;
}) {
  const run = overview.id;
  const counts = countFlags(tasks);
  // without a comparison, no task can have changed
  const isCompared = tasks.some(({ before }) => before !== undefined);
  const shown = flagOrder.filter((flag) => isCompared || (flag !== "regressed" && flag !== "improved"));
  return (
    <section class={isWhole ? "panel whole" : "panel"}>
      <h2>Tasks</h2>
      {tasks.length === 0 ? (
        <p class="soft">No task has a result yet.</p>
      ) : (
        <ul class="plain">
          {shown.map((flag) => (
            <li key={flag}>
              <a href={linkTo({ page: "tasks", run }, { flag })}>
                <span class="number">{count(counts[flag])}</span> {flagWords[flag].word}
              </a>{" "}
              <span class="soft">{flagWords[flag].meaning}</span>
            </li>
          ))}
          <li>
            <a href={linkTo({ page: "tasks", run })}>All {plural(tasks.length, "task")}</a>
          </li>
        </ul>
      )}
    </section>
  );
}

/** Replies that were paid for but unusable: they explain the rest of the page. */
function ReplyPanel({ replies }: { readonly replies: NonNullable<RunReport["replies"]> }) {
  return (
    <section class="panel whole">
      <h2>Unusable replies</h2>
      <table>
        <caption class="unseen">Unusable replies by role and class</caption>
        <thead>
          <tr>
            <th scope="col">Role</th>
            <th scope="col">Reply</th>
            <th scope="col" class="end">
              Replies
            </th>
            <th scope="col">Last message</th>
            <th scope="col">Next</th>
          </tr>
        </thead>
        <tbody>
          {replies.map(({ role, reply, count: number, message, next }) => (
            <tr key={`${role} ${reply}`}>
              <td>{role}</td>
              <td>{reply}</td>
              <td class="end">{count(number)}</td>
              <td>{message}</td>
              <td>{next}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">
        A truncated or empty target answer counts as a fail. A prompt that was too long isn't counted.
      </p>
    </section>
  );
}

function FailurePanel({
  failures,
  isWhole = false,
}: Pick<RunReport, "failures"> & { readonly isWhole?: boolean }) {
  return (
    <section class={isWhole ? "panel whole" : "panel"}>
      <h2>Failed calls</h2>
      <table>
        <caption class="unseen">Failed calls by class</caption>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col" class="end">
              Calls
            </th>
            <th scope="col">Last message</th>
          </tr>
        </thead>
        <tbody>
          {failures.map((failure) => (
            <tr key={failure.class}>
              <td>{failure.class}</td>
              <td class="end">{count(failure.count)}</td>
              <td>{failure.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">A failed call is retried; it never counts as a score of zero.</p>
    </section>
  );
}
