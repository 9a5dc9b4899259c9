import { useMemo } from "preact/hooks";
import type { RunReport, StepPoint } from "../../../src/report/model.ts";
import type { Json } from "../../../src/core/json.ts";
import { isRulesGate } from "../../../src/report/measured-rules.ts";
import type { StepLook } from "../../../src/core/verdict-words.ts";
import { wordsOf } from "../action-words.ts";
import { percent } from "../format.ts";
import { linkTo } from "../router.ts";
import { type Column, VirtualTable } from "./virtual-table.tsx";

/** Every step with what the gate said; a row opens the step. */
export function StepList({ report: { overview, steps, settings, end } }: { readonly report: RunReport }) {
  const run = overview.id;
  const columns = useMemo(() => columnsOf(run, settings), [run, settings]);
  return (
    <section class="panel whole">
      <h2>Steps</h2>
      <VirtualTable
        label="Steps"
        rows={steps}
        columns={columns}
        rowKey={({ step }) => String(step)}
        rowHeight={32}
        onOpen={({ step }) => {
          location.hash = linkTo({ page: "step", run, step });
        }}
        empty="No step has ended yet."
      />
      {end !== undefined && <p>{end.sentence}</p>}
    </section>
  );
}

const candidateColumn: Column<StepPoint> = {
  name: "Candidate",
  width: "7rem",
  align: "end",
  sort: ({ candidate }) => candidate?.value,
  cell: ({ candidate }) => (candidate === undefined ? "" : percent(candidate.value)),
};

const ActionBadge = ({ words: { tone, sign, word } }: { readonly words: StepLook }) => (
  <span class={`badge ${tone}`}>
    <span aria-hidden="true">{sign}</span>
    {word}
  </span>
);

const columnsOf = (run: string, settings: Json): readonly Column<StepPoint>[] => [
  {
    name: "Step",
    width: "4.5rem",
    sort: ({ step }) => step,
    cell: ({ step }) => <a href={linkTo({ page: "step", run, step })}>{step}</a>,
  },
  { name: "Epoch", width: "4.5rem", align: "end", wideOnly: true, cell: ({ epoch }) => epoch },
  {
    name: "Decision",
    width: "10rem",
    sort: ({ action }) => wordsOf(action, settings).word,
    cell: ({ action }) => <ActionBadge words={wordsOf(action, settings)} />,
  },
  // where rules are measured there is no candidate
  ...(isRulesGate(settings) ? [] : [candidateColumn]),
  {
    name: "Current after",
    width: "8rem",
    align: "end",
    wideOnly: true,
    sort: ({ incumbent }) => incumbent,
    cell: ({ incumbent }) => (incumbent === undefined ? "" : percent(incumbent)),
  },
  {
    name: "Edits",
    width: "8rem",
    align: "end",
    wideOnly: true,
    sort: ({ applied }) => applied,
    cell: ({ applied, refused }) => (refused === 0 ? applied : `${applied}, ${refused} refused`),
  },
  { name: "Why", wideOnly: true, cell: ({ reason }) => <span title={reason}>{reason}</span> },
];
