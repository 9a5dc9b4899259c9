import { finalName } from "../../../src/report/final-name.ts";
import { isProof, keepsObjective } from "../../../src/core/verdict-words.ts";
import type { RunReport } from "../../../src/report/model.ts";
import { CommandLine } from "../components/command-line.tsx";
import { Diff } from "../components/diff.tsx";
import { Loaded, Message } from "../components/message.tsx";
import { VerdictBadge } from "../components/badge.tsx";
import { VerdictFigures } from "../components/verdict-figures.tsx";
import { useApp } from "../context.ts";
import { capitalize, percent, plural } from "../format.ts";
import { linkTo } from "../router.ts";
import { useRun } from "../use-load.ts";
import { type ChangedFile, changedFiles } from "./compare-files.ts";
import { OfferPage } from "./offer.tsx";
import "./proposal.css";

/** A run's proposal and its evidence. */
export function ProposalPage({ run }: { readonly run: string }) {
  const { offers } = useApp().source;
  return (
    <Loaded load={useRun(run)} what="the run">
      {(report) => {
        if (report.proposal !== undefined && offers !== undefined)
          return (
            <OfferPage id={run}>
              <Evidence report={report} />
            </OfferPage>
          );
        const files = changedFiles(report);
        return files.length === 0 ? (
          <NoProposal report={report} />
        ) : (
          <Unplaced report={report} files={files} />
        );
      }}
    </Loaded>
  );
}

function NoProposal({ report: { overview } }: { readonly report: RunReport }) {
  const why =
    overview.status === "running"
      ? "The run is still going. It makes its proposal when it ends."
      : overview.status === "stopped"
        ? "The run was stopped. Run the same command again to resume it."
        : overview.command === "train" || overview.command === "prune"
          ? "The run kept the original skill."
          : `${overview.command} only measures; it changes nothing.`;
  return (
    <Message title="Nothing to adopt.">
      {why} <a href={linkTo({ page: "run", run: overview.id })}>Go to the run.</a>
    </Message>
  );
}

/** A better skill without a known place to write it: in a report file, or for a skill given in code. */
function Unplaced({ report, files }: { readonly report: RunReport; readonly files: readonly ChangedFile[] }) {
  const isFile = useApp().source.kind === "standalone";
  return (
    <>
      <h1>Proposal</h1>
      <p>
        {isFile
          ? "Only the machine that made the run knows what adopting would change now."
          : "This run's skill isn't a file on this machine, so adopting can't write it. Copy what you want by hand."}
      </p>
      <Evidence report={report} />
      {isFile && <Commands report={report} />}
      <section aria-label="Changes">
        <h2>Changes in {plural(files.length, "file")}</h2>
        {files.map(({ path, before, after }) => (
          <Diff key={path} before={before} after={after} label={path} />
        ))}
      </section>
    </>
  );
}

/** Whether `adopt` accepts it without `--unproven`. */
const isShown = ({ overview: { verdict }, sealed }: RunReport): boolean =>
  verdict !== undefined && isProof(verdict) && keepsObjective(sealed?.perRollout);

function Evidence({ report }: { readonly report: RunReport }) {
  const { overview, sealed } = report;
  return (
    <section class="panel evidence" aria-label="Evidence">
      <h2>
        Evidence <VerdictBadge overview={overview} />
      </h2>
      <VerdictFigures report={report} />
      {sealed?.best !== undefined && (
        <p>
          {capitalize(finalName(overview))}: {percent(sealed.original.value)} → {percent(sealed.best.value)},{" "}
          {plural(sealed.trials, "trial")} each.{" "}
          <a href={linkTo({ page: "tasks", run: overview.id }, { split: "test" })}>See it task by task.</a>
        </p>
      )}
    </section>
  );
}

/** A report file can't change anything, so it shows the commands to type. */
function Commands({ report }: { readonly report: RunReport }) {
  const { id } = report.overview;
  return (
    <section class="panel acts" aria-label="Adopt and undo">
      <h2>Adopt and undo</h2>
      <p>This file can't change anything. On the machine that made the run, type:</p>
      <CommandLine command={`whetstone adopt ${id}${isShown(report) ? "" : " --unproven"}`} />
      <CommandLine command={`whetstone undo ${id}`} />
    </section>
  );
}
