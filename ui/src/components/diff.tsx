import { useMemo, useState } from "preact/hooks";
import { plural } from "../format.ts";
import { useMedia } from "../use-media.ts";
import { type DiffRow, type DiffSide, countChanges, diffRows, foldRows } from "./diff-rows.ts";
import "./diff.css";

/** The change of one text: side by side, or one under the other where the screen is narrow. */
export function Diff({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  /** What is compared, for the caption. */
  readonly label: string;
}) {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  const isNarrow = useMedia("(max-width: 900px)");
  const { added, removed } = countChanges(rows);
  if (before === after) return <p class="soft">{label}: nothing changed.</p>;
  return (
    <div class="diff">
      <p class="soft">
        {label}: <span class="good">{plural(added, "line")} added</span>,{" "}
        <span class="bad">{plural(removed, "line")} taken away</span>
        {added + removed === 0 && " (only the end of the file changed)"}
      </p>
      <div class="diff-box" tabIndex={0} role="region" aria-label={label}>
        <table class={isNarrow ? "unified" : "split"}>
          <caption class="unseen">{label}</caption>
          <colgroup>
            {(isNarrow ? unifiedHead : splitHead).map((name) => (
              <col key={name} class={name.endsWith("line") ? "line" : ""} />
            ))}
          </colgroup>
          <thead class="unseen">
            <tr>
              {(isNarrow ? unifiedHead : splitHead).map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Rows rows={foldRows(rows)} isNarrow={isNarrow} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

const splitHead = ["Old line", "Old text", "New line", "New text"];
const unifiedHead = ["Old line", "New line", "Text"];

function Rows({ rows, isNarrow }: { readonly rows: readonly DiffRow[]; readonly isNarrow: boolean }) {
  return (
    <>
      {rows.map((row, at) => {
        if (row.kind === "gap") return <Gap key={at} rows={row.rows} isNarrow={isNarrow} />;
        return isNarrow ? <UnifiedRow key={at} row={row} /> : <SplitRow key={at} row={row} />;
      })}
    </>
  );
}

function Gap({ rows, isNarrow }: { readonly rows: readonly DiffRow[]; readonly isNarrow: boolean }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Rows rows={rows} isNarrow={isNarrow} />;
  return (
    <tr class="gap">
      <td colSpan={isNarrow ? 3 : 4}>
        <button type="button" class="quiet" onClick={() => setOpen(true)}>
          ⋯ {plural(rows.length, "line")} unchanged
        </button>
      </td>
    </tr>
  );
}

type LineRow = Exclude<DiffRow, { readonly kind: "gap" }>;

function SplitRow({ row }: { readonly row: LineRow }) {
  const before = "before" in row ? row.before : undefined;
  const after = "after" in row ? row.after : undefined;
  const isSame = row.kind === "same";
  return (
    <tr>
      <td class="line">{before?.line}</td>
      <td class={isSame ? "" : before === undefined ? "none" : "removed"}>
        {before !== undefined && <Line side={before} change={isSame ? undefined : "removed"} />}
      </td>
      <td class="line">{after?.line}</td>
      <td class={isSame ? "" : after === undefined ? "none" : "added"}>
        {after !== undefined && <Line side={after} change={isSame ? undefined : "added"} />}
      </td>
    </tr>
  );
}

function UnifiedRow({ row }: { readonly row: LineRow }) {
  if (row.kind === "same") return <UnifiedLine old={row.before} now={row.after} side={row.after} />;
  return (
    <>
      {"before" in row && <UnifiedLine old={row.before} side={row.before} change="removed" />}
      {"after" in row && <UnifiedLine now={row.after} side={row.after} change="added" />}
    </>
  );
}

type Change = "added" | "removed";

function UnifiedLine({
  old,
  now,
  side,
  change,
}: {
  readonly old?: DiffSide;
  readonly now?: DiffSide;
  readonly side: DiffSide;
  readonly change?: Change;
}) {
  return (
    <tr>
      <td class="line">{old?.line}</td>
      <td class="line">{now?.line}</td>
      <td class={change ?? ""}>
        <Line side={side} change={change} />
      </td>
    </tr>
  );
}

function Line({ side, change }: { readonly side: DiffSide; readonly change: Change | undefined }) {
  const Changed = change === "added" ? "ins" : "del";
  return (
    <>
      <span class="sign" aria-hidden="true">
        {change === undefined ? " " : change === "added" ? "+" : "−"}
      </span>
      {change !== undefined && <span class="unseen">{change === "added" ? "added: " : "taken away: "}</span>}
      <code>
        {side.parts.map(({ text, changed }, at) =>
          changed ? <Changed key={at}>{text}</Changed> : <span key={at}>{text}</span>,
        )}
      </code>
    </>
  );
}
