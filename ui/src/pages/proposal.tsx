import { useState } from "preact/hooks";
import type { ProposalReport, RunReport, SkillVersion } from "../../../src/report/model.ts";
import { isProof, keepsObjective } from "../../../src/core/verdict-words.ts";
import { ActButton, type Outcome, OutcomeView } from "../components/act-button.tsx";
import { CommandLine } from "../components/command-line.tsx";
import { Diff } from "../components/diff.tsx";
import { Loaded, Message } from "../components/message.tsx";
import { PowerChecks, isAsked } from "../components/power-checks.tsx";
import { Range } from "../components/range.tsx";
import { VerdictBadge } from "../components/verdict.tsx";
import { useApp } from "../context.ts";
import { percent, plural, shortId } from "../format.ts";
import { linkTo } from "../router.ts";
import { useRun } from "../use-load.ts";
import { compareFiles } from "./compare-files.ts";
import { RuleChoice, type RuleChoiceState, useRuleChoice } from "./rule-choice.tsx";
import "./proposal.css";

/** What a run proposes, what speaks for it, and the two acts: adopt and undo. */
export function ProposalPage({ run }: { readonly run: string }) {
  return (
    <Loaded load={useRun(run)} what="the run">
      {(report) => {
        if (report.proposal !== undefined) return <Proposal report={report} proposal={report.proposal} />;
        const best = report.versions.find(({ isBest, version }) => isBest && version > 0);
        return best === undefined || report.overview.status !== "done" ? (
          <NoProposal report={report} />
        ) : (
          <Unplaced report={report} best={best} />
        );
      }}
    </Loaded>
  );
}

function NoProposal({ report: { overview } }: { readonly report: RunReport }) {
  const why =
    overview.status === "running"
      ? "The run is still going on; it proposes something when it has ended."
      : overview.status === "stopped"
        ? "The run was stopped. Start the same command again: it goes on where it was."
        : overview.command === "train" || overview.command === "prune"
          ? "The run kept the original skill."
          : `A run of ${overview.command} measures and changes nothing.`;
  return (
    <Message title="There is nothing to adopt.">
      {why} <a href={linkTo({ page: "run", run: overview.id })}>Go to the run.</a>
    </Message>
  );
}

/** A better skill, but nothing is known of a place where it would go: a report file, or a skill given in code. */
function Unplaced({ report, best }: { readonly report: RunReport; readonly best: SkillVersion }) {
  const { source } = useApp();
  const { overview, versions } = report;
  const changes = compareFiles(versions[0]?.files ?? {}, best.files).filter(
    ({ change }) => change !== "same",
  );
  const isFile = source.kind === "standalone";
  return (
    <>
      <h1>Proposal</h1>
      <p>
        {isFile
          ? "What adopting would do now is known on the machine of the run only."
          : "The skill of this run is no file on this machine, so there is nothing to write. Take over by hand what you want."}
      </p>
      <Evidence report={report} reason={overview.sentence} />
      {isFile && <Commands report={report} isProven={isShown(report)} />}
      <section aria-label="Changes">
        <h2>Changes in {plural(changes.length, "file")}</h2>
        {changes.map(({ path, before, after }) => (
          <Diff key={path} before={before} after={after} label={path} />
        ))}
      </section>
    </>
  );
}

/** What `adopt` takes without `--unproven`. */
const isShown = ({ overview: { verdict }, sealed }: RunReport): boolean =>
  verdict !== undefined && isProof(verdict) && keepsObjective(sealed?.perRollout);

type StateWords = readonly [word: string, tone: string, means: string];

const unprovenMeaning =
  "No test has shown this to be better than what you have. You can adopt it all the same.";
const stateWords: Readonly<Record<ProposalReport["state"], StateWords>> = {
  ready: ["ready", "good", "Nothing has changed since the run began. It can be adopted now."],
  adopted: ["adopted", "good", "The live skill is what this run proposes."],
  changed: [
    "skill changed",
    "open",
    "The live skill is no longer the one that this run began with, so it will not be overwritten. Put back what was there, or train again.",
  ],
  unsafe: [
    "unsafe text",
    "bad",
    "The proposed text holds characters that a reader would not see. They are spelled out below. It cannot be adopted as it is; take over by hand what you want.",
  ],
};

function Proposal({ report, proposal }: { readonly report: RunReport; readonly proposal: ProposalReport }) {
  const { source } = useApp();
  const choice = useRuleChoice(report, proposal);
  const shown = choice.proposal;
  const { state } = shown ?? proposal;
  const [word, tone, meaning] = stateWords[state];
  // the eye is drawn to adopting only where a test speaks for it
  const isUnproven = state === "ready" && !proposal.proven;
  return (
    <>
      <h1>
        Proposal{" "}
        {isUnproven ? (
          <VerdictBadge overview={report.overview} />
        ) : (
          <span class={`badge ${tone}`}>{word}</span>
        )}
      </h1>
      <p>
        {source.kind === "standalone" && "When this file was written: "}
        {isUnproven ? unprovenMeaning : meaning}
      </p>
      <Evidence report={report} reason={proposal.reason} isSaid={isUnproven} />
      <RuleChoice report={report} proposal={proposal} choice={choice} />
      <Acts report={report} proposal={proposal} choice={choice} />
      {shown !== undefined && (
        <section aria-label="Changes">
          <h2>Changes in {plural(shown.files.length, "file")}</h2>
          {shown.files.map(({ path, op, before, after }) => (
            <Diff key={path} before={before} after={after} label={`${path} (${opWords[op]})`} />
          ))}
        </section>
      )}
    </>
  );
}

function Evidence({
  report: { overview, sealed },
  reason,
  isSaid = false,
}: {
  readonly report: RunReport;
  readonly reason: string;
  /** Whether the verdict stands above already. */
  readonly isSaid?: boolean;
}) {
  return (
    <section class="panel evidence" aria-label="Evidence">
      <h2>Evidence {!isSaid && <VerdictBadge overview={overview} />}</h2>
      <p>{reason}</p>
      {overview.gain !== undefined && (
        <p>
          Gain in points: <Range estimate={overview.gain} span={rangeSpan(overview.gain)} />
        </p>
      )}
      {sealed?.best !== undefined && (
        <p>
          Sealed test: {percent(sealed.original.value)} → {percent(sealed.best.value)}, {sealed.wins} up,{" "}
          {sealed.losses} down, {sealed.ties} equal, {plural(sealed.trials, "trial")} each.{" "}
          <a href={linkTo({ page: "tasks", run: overview.id }, { split: "test" })}>See task by task.</a>
        </p>
      )}
    </section>
  );
}

const opWords = { add: "new", replace: "changed", delete: "deleted" } as const;

const rangeSpan = ({ low, high }: { readonly low: number; readonly high: number }): number =>
  Math.max(0.05, Math.abs(low), Math.abs(high)) * 1.1;

/** A report file cannot change anything; it says what to type. */
function Acts({
  report,
  proposal: whole,
  choice,
}: {
  readonly report: RunReport;
  readonly proposal: ProposalReport;
  readonly choice: RuleChoiceState;
}) {
  const { source, runs } = useApp();
  // stays in sight when the act is no longer possible
  const [outcome, setOutcome] = useState<Outcome>();
  const [seen, setSeen] = useState<readonly string[]>([]);
  const { isPart, taken } = choice;
  if (source.kind === "standalone")
    return <Commands report={report} isProven={whole.proven} rules={isPart ? [...taken] : undefined} />;
  const proposal = choice.proposal ?? whole;
  const { id } = report.overview;
  const onEnd = (end: Outcome) => {
    setOutcome(end);
    void runs.refresh(id);
  };
  const isUnproven = !proposal.proven;
  const isKnown = choice.proposal !== undefined;
  const left = proposal.powers.filter((power) => isAsked(power) && !seen.includes(power.id)).length;
  return (
    <section class="acts" aria-label="Adopt and undo">
      {proposal.state === "ready" && isKnown && proposal.powers.length > 0 && (
        <PowerChecks powers={proposal.powers} seen={seen} onSee={setSeen} />
      )}
      {proposal.state === "ready" && (
        <ActButton
          label={isUnproven ? "Adopt unproven …" : "Adopt …"}
          isPrimary={!isUnproven && !isPart}
          isDisabled={left > 0 || !isKnown}
          title={
            isPart
              ? `Adopt ${plural(taken.size, "rule")} of run ${shortId(id)}?`
              : `Adopt run ${shortId(id)}?`
          }
          intro="These files of your skill will be written, exactly as shown on this page. What is there now is kept, and undo puts it back:"
          files={proposal.files.map(({ path, op, live }) => ({ path: live ?? path, fate: adoptWords[op] }))}
          word={
            isUnproven
              ? "I know that no test has shown this to be better."
              : isPart
                ? "I know that this part was not tested by itself."
                : undefined
          }
          confirm={`Write ${plural(proposal.files.length, "file")}`}
          act={() =>
            source.adopt(id, {
              unproven: isUnproven,
              acknowledge: seen,
              shown: proposal.shown,
              ...(isPart ? { rules: [...taken] } : {}),
            })
          }
          onEnd={onEnd}
        />
      )}
      {proposal.state === "adopted" && (
        <ActButton
          label="Undo …"
          title={`Undo run ${shortId(id)}?`}
          intro="These files will be put back as they were before the run was adopted:"
          files={proposal.files.map(({ path, op, live }) => ({ path: live ?? path, fate: undoWords[op] }))}
          confirm="Put back"
          act={() => source.undo(id)}
          onEnd={onEnd}
        />
      )}{" "}
      {(proposal.state === "ready" || proposal.state === "adopted") && (
        <span class="soft">
          {proposal.state === "ready" && left > 0
            ? `Acknowledge ${plural(left, "new power")} first.`
            : "Nothing changes before you have seen and confirmed the list of files."}
        </span>
      )}
      <div role="status">{outcome !== undefined && <OutcomeView outcome={outcome} />}</div>
    </section>
  );
}

const adoptWords = { add: "is new", replace: "is replaced", delete: "is deleted" } as const;
const undoWords = { add: "is deleted", replace: "is put back", delete: "is put back" } as const;

function Commands({
  report,
  isProven,
  rules,
}: {
  readonly report: RunReport;
  readonly isProven: boolean;
  /** Only these. */
  readonly rules?: readonly number[];
}) {
  const { id } = report.overview;
  const part = rules === undefined ? "" : ` --accept ${rules.toSorted((a, b) => a - b).join(",")}`;
  return (
    <section class="panel acts" aria-label="Adopt and undo">
      <h2>Adopt and undo</h2>
      <p>This file changes nothing. On the machine of the run:</p>
      {rules?.length !== 0 && (
        <CommandLine command={`whetstone adopt ${id}${part}${isProven ? "" : " --unproven"}`} />
      )}
      <CommandLine command={`whetstone undo ${id}`} />
    </section>
  );
}
