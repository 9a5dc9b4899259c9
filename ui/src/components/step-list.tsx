import { useMemo } from "preact/hooks";
import type { RunReport, StepPoint } from "../../../src/report/model.ts";
import type { Json } from "../../../src/core/json.ts";
import { stepText } from "../../../src/core/refusal-words.ts";
import { isRulesGate } from "../../../src/report/measured-rules.ts";
import { actions, wordsOf } from "../action-words.ts";
import { percent, sentence } from "../format.ts";
import { linkTo } from "../router.ts";
import { useNarrow } from "../use-media.ts";
import { Badge } from "./badge.tsx";
import { chipColumn } from "./chip-column.ts";
import { type Column, VirtualTable } from "./virtual-table.tsx";

/** Every step with the gate's decision; a row opens the step. */
export function StepList({ report: { overview, steps, settings, end } }: { readonly report: RunReport }) {
  const run = overview.id;
  const isNarrow = useNarrow();
  const columns = useMemo(
    () => (isNarrow ? narrowColumns : wideColumns)(run, settings),
    [run, settings, isNarrow],
  );
  return (
    <section class="panel whole">
      <h2>Steps</h2>
      <VirtualTable
        label="Steps"
        rows={steps}
        columns={columns}
        rowKey={({ step }) => String(step)}
        rowHeight={isNarrow ? 96 : 34}
        onOpen={({ step }) => {
          location.hash = linkTo({ page: "step", run, step });
        }}
        empty="No step has finished yet."
      />
      {end !== undefined && <p>{end.sentence}</p>}
    </section>
  );
}

const textOf = (step: StepPoint): string => stepText({ ...step, edits: step.applied });

const stepColumn = (run: string): Column<StepPoint> => ({
  name: "Step",
  width: "4rem",
  sort: ({ step }) => step,
  cell: ({ step }) => <a href={linkTo({ page: "step", run, step })}>{step}</a>,
});

const candidateColumn: Column<StepPoint> = {
  name: "Candidate",
  width: "7rem",
  align: "end",
  sort: ({ candidate }) => candidate?.value,
  cell: ({ candidate }) => (candidate === undefined ? "" : percent(candidate.value)),
};

const wideColumns = (run: string, settings: Json): readonly Column<StepPoint>[] => [
  stepColumn(run),
  { name: "Epoch", width: "4.5rem", align: "end", cell: ({ epoch }) => epoch },
  {
    name: "Decision",
    width: chipColumn(actions.map((action) => [wordsOf(action, settings).word])),
    sort: ({ action }) => wordsOf(action, settings).word,
    cell: ({ action }) => <Badge look={wordsOf(action, settings)} />,
  },
  // steps that measure rules don't have a candidate
  ...(isRulesGate(settings) ? [] : [candidateColumn]),
  {
    name: "Current after",
    width: "8rem",
    align: "end",
    sort: ({ incumbent }) => incumbent,
    cell: ({ incumbent }) => (incumbent === undefined ? "" : percent(incumbent)),
  },
  {
    name: "Edits",
    width: "4.5rem",
    align: "end",
    sort: ({ applied }) => applied,
    cell: ({ applied }) => applied,
  },
  {
    name: "Why",
    cell: (step) => (
      <span class="cut" title={textOf(step)}>
        {textOf(step)}
      </span>
    ),
  },
];

/** On a phone, the reason goes below the decision. */
const narrowColumns = (run: string, settings: Json): readonly Column<StepPoint>[] => [
  { ...stepColumn(run), width: "3.2rem" },
  {
    name: "Decision",
    title: "Decision and why",
    cell: (step) => (
      <>
        <Badge look={wordsOf(step.action, settings)} />{" "}
        {step.incumbent !== undefined && <span class="number soft">val {percent(step.incumbent)}</span>}
        <span class="cut lines" title={textOf(step)}>
          {sentence(textOf(step))}
        </span>
      </>
    ),
  },
];
