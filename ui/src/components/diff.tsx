import { useMemo, useState } from "preact/hooks";
import { plural } from "../format.ts";
import { type DiffLine, type DiffRow, diffRows, foldRows } from "./diff-rows.ts";
import "./diff.css";

/** The diff of one text. */
export function Diff({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  /** The caption: the name of the text. */
  readonly label: string;
}) {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  if (before === after) return <p class="soft">{label}: no changes.</p>;
  const count = (kind: DiffLine["kind"]) => rows.filter((row) => row.kind === kind).length;
  return (
    <div class="diff">
      <p class="soft">
        {label}: <span class="good">{plural(count("added"), "line")} added</span>,{" "}
        <span class="bad">{plural(count("removed"), "line")} removed</span>
        {count("same") === rows.length && " (only the newline at the end changed)"}
      </p>
      <div class="diff-box" tabIndex={0} role="region" aria-label={label}>
        <table>
          <caption class="unseen">{label}</caption>
          <colgroup>
            <col class="line" />
            <col class="line" />
            <col />
          </colgroup>
          <thead class="unseen">
            <tr>
              <th scope="col">Old line</th>
              <th scope="col">New line</th>
              <th scope="col">Text</th>
            </tr>
          </thead>
          <tbody>
            <Rows rows={foldRows(rows)} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

const Rows = ({ rows }: { readonly rows: readonly DiffRow[] }) => (
  <>
    {rows.map((row, at) =>
      row.kind === "gap" ? <Gap key={at} rows={row.rows} /> : <Line key={at} line={row} />,
    )}
  </>
);

function Gap({ rows }: { readonly rows: readonly DiffLine[] }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Rows rows={rows} />;
  return (
    <tr class="gap">
      <td colSpan={3}>
        <button type="button" class="quiet" onClick={() => setOpen(true)}>
          ⋯ {plural(rows.length, "line")} unchanged
        </button>
      </td>
    </tr>
  );
}

const signs = { same: " ", added: "+", removed: "−" } as const;

function Line({ line: { kind, before, after, parts } }: { readonly line: DiffLine }) {
  const Changed = kind === "added" ? "ins" : "del";
  return (
    <tr>
      <td class="line">{before}</td>
      <td class="line">{after}</td>
      <td class={kind}>
        <span class="sign" aria-hidden="true">
          {signs[kind]}
        </span>
        {kind !== "same" && <span class="unseen">{kind === "added" ? "added: " : "removed: "}</span>}
        <code>
          {parts.map(({ text, changed }, at) =>
            changed ? <Changed key={at}>{text}</Changed> : <span key={at}>{text}</span>,
          )}
        </code>
      </td>
    </tr>
  );
}
