import { useState } from "preact/hooks";
import { levelText } from "../../../src/core/shown-level.ts";
import type {
  Estimate,
  NightOverview,
  NightProposal,
  NightSource,
  OfferSource,
  RunOverview,
} from "../../../src/report/model.ts";
import { Loaded, Message, describe } from "../components/message.tsx";
import { VerdictBadge, NightBadge } from "../components/badge.tsx";
import { showText } from "../components/edit.tsx";
import { useApp } from "../context.ts";
import { duration, formatUsd, nameOf, plural, points, shortId, shortPath, when } from "../format.ts";
import { linkTo } from "../router.ts";
import { useLoad } from "../use-load.ts";
import "./proposals.css";

/** Waiting proposals, earlier decisions, and the nights behind them. */
export function ProposalsPage() {
  const { offers, sleep } = useApp().source;
  if (offers === undefined || sleep === undefined) return <NoNights />;
  return <Proposals offers={offers} sleep={sleep} />;
}

export const NoNights = () => (
  <Message title="A report file covers one run.">
    <code>whetstone ui</code> shows all proposals, including those of nights.
  </Message>
);

function Proposals({ offers, sleep }: { readonly offers: OfferSource; readonly sleep: NightSource }) {
  const proposals = useLoad("proposals", () => offers.proposals());
  const nights = useLoad("nights", () => sleep.nights());
  return (
    <>
      <h1>Proposals</h1>
      <Loaded load={proposals} what="the proposals">
        {({ nights: staged, runs, helped }) => {
          const waiting = staged.filter((one) => one.waiting > 0);
          const decided = staged.filter((one) => one.waiting === 0);
          return (
            <>
              <Waiting nights={waiting} runs={runs} />
              {decided.length > 0 && <Decided proposals={decided} />}
              {helped.length > 0 && <Helped sentences={helped} />}
            </>
          );
        }}
      </Loaded>
      <Loaded load={nights} what="the nights">
        {(all) => <Nights nights={all} sleep={sleep} />}
      </Loaded>
    </>
  );
}

function Waiting({
  nights,
  runs,
}: {
  readonly nights: readonly NightProposal[];
  readonly runs: readonly RunOverview[];
}) {
  if (nights.length + runs.length === 0)
    return (
      <p class="empty">
        Nothing is waiting for you. <code>whetstone sleep run</code> looks for something to learn;{" "}
        <code>whetstone train</code> improves a skill.
      </p>
    );
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">
        {nights.length + runs.length === 1
          ? "1 proposal waits"
          : `${plural(nights.length + runs.length, "proposal")} wait`}{" "}
        for you
      </h2>
      <ul class="cards">
        {nights.map((proposal) => (
          <li key={proposal.id} class="panel">
            <h3>
              <a href={linkTo({ page: "night-proposal", id: proposal.id })}>
                {plural(proposal.waiting, "rule")} for {proposal.document.name}
              </a>
            </h3>
            <p class="soft">{originOf(proposal)}</p>
            {proposal.gate === "off" && <p class="bad">The gate was off: nothing here is verified.</p>}
            <ul class="card-rules">
              {proposal.rules.map(({ id, text, label }) => (
                <li key={id}>
                  {firstLine(text)} <span class="soft">{label}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
        {runs.map((run) => (
          <li key={run.id} class="panel">
            <h3>
              <a href={linkTo({ page: "proposal", run: run.id })}>
                {run.command} {shortId(run.id)} of {nameOf(run)}
              </a>{" "}
              <VerdictBadge overview={run} />
            </h3>
            <p class="soft" title={run.skillPath}>
              {when(run.at)}
              {run.skillPath !== undefined && ` · ${shortPath(run.skillPath)}`}
            </p>
            <p>{run.gain === undefined ? run.sentence : gainText(run.gain)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const gainText = ({ value, low, high }: Estimate): string =>
  `${points(value)} points (${levelText} interval ${points(low)} to ${points(high)})`;

export const originOf = ({
  document: { scope, kind },
  night,
  stagedAt,
}: Pick<NightProposal, "document" | "night" | "stagedAt">): string =>
  `${scope === "project" ? "The project's" : "Your own"} ${kind === "memory" ? "memory file" : "skill"}, night ${night}, ${when(stagedAt ?? 0)}`;

function firstLine(text: string): string {
  const [first = "", ...more] = showText(text.trim()).split("\n");
  return more.length === 0 ? first : `${first} …`;
}

function Decided({ proposals }: { readonly proposals: readonly NightProposal[] }) {
  return (
    <details>
      <summary>{plural(proposals.length, "earlier proposal")}</summary>
      <ul class="cards">
        {proposals.map(({ id, document, rules, state, reason, ...proposal }) => (
          <li key={id}>
            <a href={linkTo({ page: "night-proposal", id })}>
              {plural(rules.length, "rule")} for {document.name}
            </a>{" "}
            <NightBadge state={state} />{" "}
            <span class="soft">
              {originOf({ document, ...proposal })}
              {reason !== undefined && `. ${reason}`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Whether people have to repeat adopted rules less often. */
const Helped = ({ sentences }: { readonly sentences: readonly string[] }) => (
  <section aria-labelledby="helped">
    <h2 id="helped">What you adopted</h2>
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{showText(sentence)}</li>
      ))}
    </ul>
  </section>
);

/** How many nights the page shows at first. */
const fewNights = 14;

function Nights({
  nights,
  sleep,
}: {
  readonly nights: readonly NightOverview[];
  readonly sleep: NightSource;
}) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? nights : nights.slice(0, fewNights);
  return (
    <section class="nights" aria-labelledby="nights">
      <h2 id="nights">Nights</h2>
      {nights.length === 0 ? (
        <p class="empty">
          No night has finished yet. <code>whetstone sleep init</code> asks what nights may read;{" "}
          <code>whetstone sleep run</code> runs one.
        </p>
      ) : (
        <ul class="cards">
          {shown.map((night) => (
            <li key={night.id} class="panel">
              <Night night={night} sleep={sleep} />
            </li>
          ))}
        </ul>
      )}
      {shown.length < nights.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {nights.length} nights
        </button>
      )}
    </section>
  );
}

function Night({ night, sleep }: { readonly night: NightOverview; readonly sleep: NightSource }) {
  const { id, startedAt, endedAt, sentence, conversations, tasks, corrections, proposals, cost } = night;
  return (
    <>
      <h3>
        Night {id} <span class="soft">{when(startedAt)}</span>
      </h3>
      <p>{sentence}</p>
      <p class="soft">
        {plural(conversations, "conversation")}, {plural(tasks, "task")}, {plural(corrections, "correction")};{" "}
        {formatUsd(cost.nanoUsd)} in {plural(cost.calls, "call")}, {duration(endedAt - startedAt)}
        {proposals.map((proposal) => (
          <span key={proposal}>
            {" · "}
            <a href={linkTo({ page: "night-proposal", id: proposal })}>{proposal}</a>
          </span>
        ))}
      </p>
      {tasks > 0 && <NightReport id={id} sleep={sleep} />}
    </>
  );
}

/** Loaded when somebody opens it. */
function NightReport({ id, sleep }: { readonly id: string; readonly sleep: NightSource }) {
  const [text, setText] = useState<string>();
  const read = () =>
    sleep.nightReport(id).then(
      (report) => setText(report === "" ? "The text of this report is no longer kept." : report),
      (error: unknown) => setText(Object.values(describe(error)).join(" ")),
    );
  return (
    <details
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && text === undefined) void read();
      }}
    >
      <summary>Report of night {id}</summary>
      <pre class="night-report" role="status">
        {text === undefined ? "Loading …" : showText(text)}
      </pre>
    </details>
  );
}
