import type { RunReport } from "../../../src/report/model.ts";
import { shownVerdict } from "../../../src/report/run-overview.ts";
import "./verdict-figures.css";

/** The numbers of a verdict with their meaning, then the rest of its sentence. */
export function VerdictFigures({ report }: { readonly report: RunReport }) {
  const { figures, details } = shownVerdict(report);
  return (
    <>
      {figures.length > 0 && (
        <dl class="verdict-figures">
          {figures.map(({ value, note }) => (
            <div key={value}>
              <dt>{value}</dt>
              <dd>{note}</dd>
            </div>
          ))}
        </dl>
      )}
      {details !== "" && <p class={figures.length === 0 ? "lead" : "soft"}>{details}</p>}
    </>
  );
}
