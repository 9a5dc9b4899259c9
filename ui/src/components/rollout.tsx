import { type Json, isJsonObject } from "../../../src/core/json.ts";
import type { RolloutRef, RolloutReport } from "../../../src/report/model.ts";
import { useApp } from "../context.ts";
import { percent, plural } from "../format.ts";
import { markOf, nameRollout } from "../rollout-marks.ts";
import { useLoad } from "../use-load.ts";
import { showText } from "./edit.tsx";
import { MarkSign, markWords } from "./marks.tsx";
import { Loaded } from "./message.tsx";
import { Transcript } from "./transcript.tsx";

/** One rollout: its conversation, its tool calls and its check. */
export function Rollout({ run, rollout }: { readonly run: string; readonly rollout: RolloutRef }) {
  const { source } = useApp();
  const load = useLoad(`${run} ${rollout.ref}`, () => source.rollout(run, rollout.ref));
  const { name: what } = nameRollout(rollout);
  // a rollout with its own text has no trials
  const name = rollout.rules === undefined ? `${what}, trial ${rollout.trial + 1}` : what;
  const mark = markOf(rollout.hard);
  return (
    <section class="panel rollout" aria-label={name}>
      <h2>{name}</h2>
      <p>
        <MarkSign mark={mark} /> <b>{markWords[mark]}</b>
        {rollout.hard !== null && mark === "part" && `, ${percent(rollout.hard)}`}
        {rollout.soft !== null && rollout.soft !== rollout.hard && (
          <span class="soft">, partial credit {percent(rollout.soft)}</span>
        )}
      </p>
      <Loaded load={load} what="the transcript">
        {(report) => (report === undefined ? <LeftOut run={run} /> : <Contents report={report} />)}
      </Loaded>
    </section>
  );
}

const LeftOut = ({ run }: { readonly run: string }) => (
  <p class="soft">
    This file doesn't contain the transcript, to stay small. <code>whetstone ui</code> shows it on the machine
    that made run {run.slice(0, 8)}.
  </p>
);

function Contents({ report }: { readonly report: RolloutReport }) {
  const { feedback, conversation, extras, reply } = report;
  return (
    <>
      {reply !== undefined && (
        <p>
          <span class="badge bad">reply {reply}</span> The model gave no usable answer.
        </p>
      )}
      <h3>Check</h3>
      <p class="said">{feedback === "" ? "The check gave no feedback." : feedback}</p>
      {extras !== undefined && <Extras extras={extras} />}
      <h3>Transcript</h3>
      <Transcript conversation={conversation} />
    </>
  );
}

/** Other facts from the environment: how the agent ended, the skills it loaded, the files it left. */
function Extras({ extras }: { readonly extras: Json }) {
  if (!isJsonObject(extras)) return <pre>{JSON.stringify(extras, null, 2)}</pre>;
  const { written, changed, ...facts } = extras;
  const files = isJsonObject(written) ? Object.entries(written) : [];
  const paths = Array.isArray(changed) ? changed : [];
  return (
    <>
      <dl class="facts">
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{describeValue(value)}</dd>
          </div>
        ))}
        {changed !== undefined && files.length === 0 && (
          <div>
            <dt>changed</dt>
            <dd>{describeValue(changed)}</dd>
          </div>
        )}
      </dl>
      {files.length > 0 && <WrittenFiles files={files} more={paths.length - files.length} />}
    </>
  );
}

function WrittenFiles({
  files,
  more,
}: {
  readonly files: readonly (readonly [path: string, content: Json | undefined])[];
  /** Changed files without a text in this report. */
  readonly more: number;
}) {
  return (
    <>
      <h3>{plural(files.length + Math.max(0, more), "file")} that the agent changed</h3>
      {files.map(([path, content]) =>
        typeof content === "string" ? (
          <details key={path} class="written" open={files.length <= 3}>
            <summary>
              <code>{path}</code>
            </summary>
            <pre tabIndex={0} aria-label={path}>
              {showText(content)}
            </pre>
          </details>
        ) : (
          <p key={path}>
            <code>{path}</code> <span class="badge">deleted</span>
          </p>
        ),
      )}
      {more > 0 && <p class="soft">{plural(more, "more file")} changed.</p>}
    </>
  );
}

/** Counts repeated names: `Read ×3, Write`. */
function countNames(names: readonly Json[]): string {
  const counts = Map.groupBy(names.map(String), (name) => name);
  return [...counts].map(([name, all]) => (all.length === 1 ? name : `${name} ×${all.length}`)).join(", ");
}

function describeValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value) && value.every((one) => typeof one !== "object"))
    return countNames(value) || "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
