import { useState } from "preact/hooks";
import type { Json } from "../../../src/core/json.ts";
import type { RuleReport, RunReport, SkillVersion } from "../../../src/report/model.ts";
import { measuredRules } from "../../../src/report/measured-rules.ts";
import { pruneFigures } from "../../../src/report/prune-figures.ts";
import { wordsOf } from "../action-words.ts";
import { Diff } from "../components/diff.tsx";
import { MeasuredRules, worthNote } from "../components/measured-rules.tsx";
import { Loaded, Message } from "../components/message.tsx";
import { PrunedRules } from "../components/prune-panels.tsx";
import { TaskLinks } from "../components/task-links.tsx";
import { replacePlace } from "../context.ts";
import { percent, plural, points } from "../format.ts";
import { type Query, linkTo } from "../router.ts";
import { useRun } from "../use-load.ts";
import { compareFiles } from "./compare-files.ts";
import "./skill.css";

/** Every version of the skill, what changed between two of them, and the evidence for each rule. */
export function SkillPage({ run, query }: { readonly run: string; readonly query: Query }) {
  return (
    <Loaded load={useRun(run)} what="the run">
      {(report) =>
        report.versions.length === 0 ? (
          <Message title="No version of the skill has been saved yet.">
            It appears when the first step finishes. <a href={linkTo({ page: "run", run })}>Go to the run.</a>
          </Message>
        ) : (
          <Skill report={report} query={query} />
        )
      }
    </Loaded>
  );
}

function Skill({ report, query }: { readonly report: RunReport; readonly query: Query }) {
  const { versions, overview } = report;
  const find = (name: string | undefined) => versions.find(({ version }) => String(version) === name);
  const before = find(query["from"]) ?? versions[0];
  const after = find(query["to"]) ?? versions.find(({ isBest }) => isBest) ?? versions.at(-1);
  if (before === undefined || after === undefined) return null;
  const go = (next: Query) =>
    replacePlace(
      linkTo(
        { page: "skill", run: overview.id },
        {
          from: String(before.version),
          to: String(after.version),
          ...(query["file"] === undefined ? {} : { file: query["file"] }),
          ...next,
        },
      ),
    );
  return (
    <>
      <h1>Skill</h1>
      <form class="toolbar" aria-label="Versions to compare" onSubmit={(event) => event.preventDefault()}>
        <VersionChoice label="From" report={report} chosen={before} onChoose={(from) => go({ from })} />
        <VersionChoice label="to" report={report} chosen={after} onChoose={(to) => go({ to })} />
        <button type="button" onClick={() => go(stepOf(versions, after))} disabled={after.version === 0}>
          Changes of this version
        </button>
      </form>
      <Files before={before} after={after} file={query["file"]} onChoose={(file) => go({ file })} />
      <Rules report={report} />
    </>
  );
}

/** A candidate builds on the last version that was kept before its step. */
function stepOf(versions: readonly SkillVersion[], after: SkillVersion): Query {
  const earlier = versions.filter(({ version }) => version < after.version);
  const ground = earlier.findLast(
    ({ action }) => action !== "reject" && action !== "undecided" && action !== "skip",
  );
  return { from: String(ground?.action === "return_to_original" ? 0 : (ground?.version ?? 0)) };
}

function VersionChoice({
  label,
  report: { versions, settings },
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly report: RunReport;
  readonly chosen: SkillVersion;
  readonly onChoose: (version: string) => void;
}) {
  return (
    <label>
      {label}{" "}
      <select value={String(chosen.version)} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {versions.map((version) => (
          <option key={version.version} value={String(version.version)}>
            {versionName(version, settings)}
          </option>
        ))}
      </select>
    </label>
  );
}

function versionName({ version, step, action, isBest }: SkillVersion, settings: Json): string {
  if (version === 0) return `the original${isBest ? ", best" : ""}`;
  const { word } = wordsOf(action, settings);
  const place = action === "guidance" || action === "end" ? `after step ${step}` : `step ${step}`;
  const from = step === 0 ? "" : `, ${place}: ${word}`;
  return `version ${version}${from}${isBest ? " (the best)" : ""}`;
}

function Files({
  before,
  after,
  file,
  onChoose,
}: {
  readonly before: SkillVersion;
  readonly after: SkillVersion;
  readonly file: string | undefined;
  readonly onChoose: (file: string) => void;
}) {
  const files = compareFiles(before.files, after.files);
  const open = files.find(({ path }) => path === file) ?? files[0];
  if (open === undefined) return <p class="empty">The skill doesn't have a text file.</p>;
  return (
    <section aria-label="Changes">
      {files.length > 1 && (
        <div class="chips file-tabs" role="group" aria-label="Files">
          {files.map(({ path, change }) => (
            <button
              key={path}
              type="button"
              class="chip"
              aria-pressed={path === open.path}
              onClick={() => onChoose(path)}
            >
              {path} {change !== "same" && <b>{change}</b>}
            </button>
          ))}
        </div>
      )}
      {open.change === "same" ? (
        <>
          <p class="soft">{open.path} is the same in both versions.</p>
          <pre class="whole-file" tabIndex={0} aria-label={open.path}>
            {open.after}
          </pre>
        </>
      ) : (
        <Diff key={open.path} before={open.before} after={open.after} label={open.path} />
      )}
    </section>
  );
}

/** How many rules the page shows at first. */
const firstRules = 12;

function Rules({ report }: { readonly report: RunReport }) {
  const { rules, overview, summary } = report;
  const [isWhole, setWhole] = useState(false);
  const prune = pruneFigures(report);
  const table = measuredRules(summary);
  if (prune !== undefined)
    return (
      <section class="measured-rules" aria-label="Rules">
        <h2>Rules: worth and fate</h2>
        <p class="soft">
          The points on val that each rule adds while others come and go, with a 95% interval. The removed
          rules were tested together.
        </p>
        <PrunedRules prune={prune} />
      </section>
    );
  if (table !== undefined)
    return (
      <section class="measured-rules" aria-label="Rules">
        <h2>Worth of each rule</h2>
        <p class="soft">{worthNote}</p>
        <MeasuredRules run={overview.id} table={table} />
      </section>
    );
  const tokens = rules.reduce((sum, rule) => sum + (rule.op === "delete" ? 0 : rule.tokens), 0);
  return (
    <section class="rules" aria-label="Rules">
      <h2>Rules: origin and effect</h2>
      {rules.length === 0 ? (
        <p class="soft">Training added no rules to this skill.</p>
      ) : (
        <p class="soft">
          {plural(rules.length, "rule")}, {plural(tokens, "token")} in every prompt.
          {rules.some(({ before }) => before !== undefined) &&
            " The score is for all edits of a step together, as the gate measured it on val."}
        </p>
      )}
      <ol>
        {rules.slice(0, isWhole ? rules.length : firstRules).map((rule, at) => (
          <Rule key={at} run={overview.id} rule={rule} />
        ))}
      </ol>
      {!isWhole && rules.length > firstRules && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {plural(rules.length, "rule")}
        </button>
      )}
    </section>
  );
}

function Rule({ run, rule }: { readonly run: string; readonly rule: RuleReport }) {
  const { op, text, file, step, tokens, before, after, evidence, source } = rule;
  const isGone = op === "delete";
  return (
    <li class="panel">
      <pre class={isGone ? "gone" : ""}>{text}</pre>
      <p class="rule-facts">
        {isGone && <span class="badge bad">removed</span>}
        {step > 0 && <a href={linkTo({ page: "step", run, step })}>step {step}</a>}
        <code>{file}</code>
        <span>{plural(tokens, "token")}</span>
        {before !== undefined && after !== undefined && (
          <span>
            val {percent(before)} → {percent(after)}{" "}
            <b class={after > before ? "good" : after < before ? "bad" : ""}>({points(after - before)})</b>
          </span>
        )}
        {source !== undefined && (
          <span class="soft">from {source === "failure" ? "failures" : "successes"}</span>
        )}
      </p>
      {evidence.length > 0 && (
        <p class="soft">
          Suggested by <TaskLinks run={run} tasks={evidence} />
        </p>
      )}
    </li>
  );
}
