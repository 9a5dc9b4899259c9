import type { ComponentChildren } from "preact";
import type { RawPatch } from "../../../src/core/skill/edit.ts";
import type { EditReport } from "../../../src/core/skill/apply-edits.ts";
import type { GatePair, GateReport, RunReport, StepReport } from "../../../src/report/model.ts";
import { ruleLine } from "../../../src/report/measured-rules.ts";
import { wordsOf } from "../action-words.ts";
import { worthRange, ruleWords, signedPoint } from "../../../src/core/verdict-words.ts";
import { bellInterval } from "../../../src/core/shown-level.ts";
import type { OpenRule } from "../../../src/core/step-record.ts";
import { Badge } from "../components/badge.tsx";
import { EditView, showText } from "../components/edit.tsx";
import { worthNote } from "../components/measured-rules.tsx";
import { type ForestRule, RuleForest } from "../components/rule-forest.tsx";
import { Loaded, Message } from "../components/message.tsx";
import { TaskLinks } from "../components/task-links.tsx";
import { type Column, VirtualTable } from "../components/virtual-table.tsx";
import { useApp } from "../context.ts";
import { percent, plural, sentence } from "../format.ts";
import { linkTo } from "../router.ts";
import { useLoad, useRun } from "../use-load.ts";
import { nameKey } from "./filter-tasks.ts";
import { countPairs, describeGate } from "./gate-words.ts";
import "./step.css";

/** One step: the decision first, then how it came about. */
export function StepPage({ run, step }: { readonly run: string; readonly step: number }) {
  return (
    <Loaded load={useRun(run)} what="the run">
      {(report) =>
        report.steps.some((point) => point.step === step) ? (
          <LoadedStep report={report} step={step} />
        ) : (
          <NoStep report={report} step={step} />
        )
      }
    </Loaded>
  );
}

function NoStep({ report, step }: { readonly report: RunReport; readonly step: number }) {
  const { id, steps } = report.overview;
  return (
    <Message title={`Run ${id.slice(0, 8)} has no result for step ${step}.`}>
      {steps === 0
        ? "This kind of run has no steps. "
        : `It has finished ${report.steps.length} of ${steps} steps. `}
      <a href={linkTo({ page: "run", run: id })}>Go to the run.</a>
    </Message>
  );
}

function LoadedStep({ report, step }: { readonly report: RunReport; readonly step: number }) {
  const { source } = useApp();
  const run = report.overview.id;
  const load = useLoad(`${run} ${step}`, () => source.step(run, step));
  return (
    <>
      <StepLinks report={report} step={step} />
      <Loaded load={load} what="the step">
        {(detail) => <Step report={report} step={detail} />}
      </Loaded>
    </>
  );
}

function StepLinks({ report, step }: { readonly report: RunReport; readonly step: number }) {
  const run = report.overview.id;
  const at = report.steps.findIndex((point) => point.step === step);
  const link = (other: number | undefined, words: string) =>
    other !== undefined && <a href={linkTo({ page: "step", run, step: other })}>{words}</a>;
  return (
    <nav class="toolbar" aria-label="Steps">
      <a href={linkTo({ page: "run", run })}>Back to the run</a>
      {link(report.steps[at - 1]?.step, "← previous step")}
      {link(report.steps[at + 1]?.step, "next step →")}
    </nav>
  );
}

function Step({ report, step }: { readonly report: RunReport; readonly step: StepReport }) {
  const run = report.overview.id;
  const proposed = step.analysts.reduce((sum, { edits }) => sum + edits.length, 0);
  return (
    <>
      <h1>
        Step {step.step} <Badge look={wordsOf(step.action, report.settings)} />
      </h1>
      <p>{sentence(step.reason)}</p>
      <ol class="flow" aria-label="From rollouts to edits">
        <FlowStage
          number={step.analysts.length}
          words={step.analysts.length === 1 ? "analyst" : "analysts"}
        />
        <FlowStage number={proposed} words="edits proposed" />
        <FlowStage number={step.merged.length} words="after merging" />
        <FlowStage number={step.selected.length} words={`chosen, of at most ${step.budget}`} />
        <FlowStage
          number={step.applied}
          words={step.refused === 0 ? "applied" : `applied, ${step.refused} refused`}
        />
      </ol>
      <Gate run={run} gate={step.gate} />
      <ChosenEdits run={run} step={step} />
      <Analysts run={run} analysts={step.analysts} />
    </>
  );
}

const FlowStage = ({ number, words }: { readonly number: number; readonly words: string }) => (
  <li>
    <b>{number}</b> {words}
  </li>
);

const Section = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="panel step-part" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

const outcomeWords: Readonly<Record<GatePair["outcome"], string>> = {
  win: "won",
  loss: "lost",
  tie: "tied",
  open: "no result",
};
const outcomeSigns: Readonly<Record<GatePair["outcome"], string>> = {
  win: "▲",
  loss: "▼",
  tie: "=",
  open: "·",
};

function Gate({ run, gate }: { readonly run: string; readonly gate: GateReport | undefined }) {
  if (gate === undefined) {
    return (
      <Section title="Gate">
        <p class="soft">This step measured nothing, so there is nothing to compare.</p>
      </Section>
    );
  }
  if (gate.rules !== undefined) return <OpenRules gate={gate} rules={gate.rules} />;
  const words = describeGate(gate);
  const asked = gate.pairs.slice(0, gate.asked);
  const counts = countPairs(asked);
  return (
    <Section title="Gate: candidate against the skill before it">
      <p>
        <b class="good">▲ {counts.win} won</b>, <b class="bad">▼ {counts.loss} lost</b>,{" "}
        <b>= {counts.tie} tied</b>
        {counts.open > 0 && `, ${counts.open} without a result`}. {words.stop}
      </p>
      {words.evidence.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <PairStrip pairs={asked} rest={gate.of - gate.asked} />
      {asked.length > 0 && (
        <details>
          <summary>Task by task</summary>
          <VirtualTable
            label="Val tasks of this gate"
            rows={asked}
            columns={pairColumns(run)}
            rowKey={({ task }) => task}
            rowHeight={30}
            onOpen={(pair) => location.assign(pairLink(run, pair))}
            empty=""
          />
        </details>
      )}
    </Section>
  );
}

/** The estimate for each rule after a step. With rules, each rollout has its own text, so no candidate is compared. */
function OpenRules({ gate, rules }: { readonly gate: GateReport; readonly rules: readonly OpenRule[] }) {
  return (
    <Section title="Gate: estimates for each rule after this step">
      <p>
        Each val rollout had a random selection of the open rules in its text, so every result tells something
        about each of them. This step asked {gate.asked} of {plural(gate.of, "val task")}.
      </p>
      {rules.length === 0 ? (
        <p class="soft">No rule is open.</p>
      ) : (
        <RuleForest label="Rules after this step" rules={rules.toSorted(byWorth).map(openRule)} />
      )}
      <p class="soft">{worthNote}</p>
    </Section>
  );
}

const byWorth = (a: OpenRule, b: OpenRule): number => b.points - a.points;

function openRule({ state, text, ...rule }: OpenRule): ForestRule {
  return {
    ...rule,
    worth: signedPoint(rule.points),
    figures: [worthRange(rule)],
    ...bellInterval(rule.points, rule.sd),
    words: showText(ruleLine({ op: "append", text: text ?? `rule ${rule.rule}` })),
    badge: <Badge look={ruleWords[state]} />,
  };
}

/** The val tasks in the order they were asked, and where the gate stopped. */
function PairStrip({ pairs, rest }: { readonly pairs: readonly GatePair[]; readonly rest: number }) {
  if (pairs.length === 0) return null;
  return (
    <div class="pair-strip" role="img" aria-label="Won, lost and tied tasks in the order they were asked">
      {pairs.map(({ task, outcome }) => (
        <span key={task} class={outcome} title={`${task}: ${outcomeWords[outcome]}`}>
          {outcomeSigns[outcome]}
        </span>
      ))}
      {rest > 0 && <span class="rest">stopped here: {plural(rest, "task")} not needed</span>}
    </div>
  );
}

function pairColumns(run: string): readonly Column<GatePair>[] {
  const score = (value: number | null) => (value === null ? "missing" : percent(value));
  return [
    {
      name: "Task",
      sort: ({ task }) => nameKey({ id: task }),
      cell: (pair) => <a href={pairLink(run, pair)}>{pair.task}</a>,
    },
    {
      name: "Before",
      width: "7rem",
      align: "end",
      sort: ({ incumbent }) => incumbent ?? undefined,
      cell: ({ incumbent }) => score(incumbent),
    },
    {
      name: "Candidate",
      width: "7rem",
      align: "end",
      sort: ({ candidate }) => candidate ?? undefined,
      cell: ({ candidate }) => score(candidate),
    },
    {
      name: "Outcome",
      width: "9rem",
      sort: ({ outcome }) => ["loss", "win", "tie", "open"].indexOf(outcome),
      cell: ({ outcome }) => (
        <span class={outcome === "win" ? "good" : outcome === "loss" ? "bad" : "soft"}>
          {outcomeSigns[outcome]} {outcomeWords[outcome]}
        </span>
      ),
    },
  ];
}

const pairLink = (run: string, { task, ref }: GatePair): string =>
  linkTo({ page: "task", run, task }, ref === undefined ? {} : { open: ref });

function ChosenEdits({ run, step }: { readonly run: string; readonly step: StepReport }) {
  // reports are in the order of the edits, followed by those the guard refused before the ranking
  const isPatch = step.edits.length >= step.selected.length;
  const refused = step.edits.slice(isPatch ? step.selected.length : 0);
  return (
    <Section title="Edits, best first">
      {step.selected.length === 0 && <p class="soft">No edit was chosen.</p>}
      <ol class="edits">
        {step.selected.map((edit, at) => (
          <li key={at}>
            <EditView run={run} edit={edit}>
              {isPatch && <Fate report={step.edits[at]} />}
              {edit.rankReason !== undefined && edit.rankReason !== "" && (
                <p class="soft">Why it was chosen: {edit.rankReason}</p>
              )}
            </EditView>
          </li>
        ))}
      </ol>
      {refused.length > 0 && (
        <>
          <h3>Refused before the ranking</h3>
          <ul class="edits">
            {refused.map((report, at) => (
              <li key={at}>
                <Fate report={report} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Fate({ report }: { readonly report: EditReport | undefined }) {
  if (report === undefined) return null;
  const { applied, status, detail, file, candidates } = report;
  const word = applied ? "applied" : status.startsWith("skipped") ? "skipped" : "refused";
  return (
    <>
      <p>
        <span class={applied ? "badge good" : "badge bad"}>
          {applied ? "✓" : "✕"} {word}
        </span>{" "}
        <code>{file}</code>: {detail}
      </p>
      {candidates !== undefined && (
        <ul class="soft">
          {candidates.map(({ line, text }) => (
            <li key={line}>
              line {line}: <code>{text}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Analysts({ run, analysts }: { readonly run: string; readonly analysts: readonly RawPatch[] }) {
  return (
    <Section title="Analysts: findings and proposals">
      {analysts.length === 0 && <p class="soft">No analyst was asked, or none proposed anything.</p>}
      {analysts.map((analyst, at) => (
        <details key={at}>
          <summary>
            Analyst {at + 1} read{" "}
            {plural(
              analyst.taskIds.length,
              analyst.source === "failure" ? "failure" : "success",
              analyst.source === "failure" ? "failures" : "successes",
            )}{" "}
            {analyst.unusable === undefined
              ? `and proposed ${plural(analyst.edits.length, "edit")}`
              : `and gave an unusable reply (${analyst.unusable})`}
          </summary>
          <div class="analyst">
            <p>
              <b>Read</b> <TaskLinks run={run} tasks={analyst.taskIds} />
            </p>
            {analyst.reasoning !== "" && <p class="said">{analyst.reasoning}</p>}
            <Listed title="Patterns" lines={analyst.patterns} />
            {analyst.edits.length > 0 && <h3>Proposed</h3>}
            <ol class="edits">
              {analyst.edits.map((edit, index) => (
                <li key={index}>
                  <EditView run={run} edit={edit} />
                </li>
              ))}
            </ol>
          </div>
        </details>
      ))}
    </Section>
  );
}

function Listed({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line, at) => (
          <li key={at}>{line}</li>
        ))}
      </ul>
    </>
  );
}
