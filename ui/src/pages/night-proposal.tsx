import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Decision } from "../../../src/core/offer/review.ts";
import type {
  NightChange,
  NightProposalReport,
  NightSource,
  WrittenChange,
} from "../../../src/report/model.ts";
import { ActButton, type Outcome, OutcomeView } from "../components/act-button.tsx";
import { Diff } from "../components/diff.tsx";
import { showText } from "../components/edit.tsx";
import { Loaded, describe } from "../components/message.tsx";
import { NightBadge } from "../components/night-badge.tsx";
import { PowerChecks, isAsked } from "../components/power-checks.tsx";
import { RuleCard, TextForm } from "../components/rule-card.tsx";
import { useApp } from "../context.ts";
import { plural } from "../format.ts";
import { useLoad } from "../use-load.ts";
import { NoNights, originOf } from "./proposals.tsx";
import "./night-proposal.css";

/** What a night proposes for one document: rule by rule, then the bytes, then the two acts. */
export function NightProposalPage({ id }: { readonly id: string }) {
  const { sleep } = useApp().source;
  if (sleep === undefined) return <NoNights />;
  return <LoadedProposal id={id} sleep={sleep} />;
}

const LoadedProposal = ({ id, sleep }: { readonly id: string; readonly sleep: NightSource }) => (
  <Loaded load={useLoad(id, () => sleep.proposal(id))} what="the proposal">
    {(first) => <NightProposal first={first} sleep={sleep} />}
  </Loaded>
);

/** Why something that was asked for did not happen, and for which rule it was asked. */
interface Problem {
  readonly rule: string | undefined;
  readonly sentence: string;
}

function NightProposal({
  first,
  sleep,
}: {
  readonly first: NightProposalReport;
  readonly sleep: NightSource;
}) {
  const [report, setReport] = useState(first);
  const [problem, setProblem] = useState<Problem>();
  const [outcome, setOutcome] = useState<Outcome>();
  const latest = useRef(report);
  const inTurn = useRef(Promise.resolve());
  const { review, live, change } = report;
  const { id } = review;

  /** One after another: each builds on what the one before came to. */
  function ask(act: () => Promise<NightProposalReport>, rule?: string): void {
    const before = inTurn.current;
    inTurn.current = (async () => {
      await before;
      try {
        latest.current = await act();
        setReport(latest.current);
        setProblem(undefined);
      } catch (error) {
        const { message, hint } = describe(error);
        setProblem({ rule, sentence: `${message} ${hint}` });
      }
    })();
  }
  const decide = (rule: string) => (decision: Decision) =>
    ask(() => sleep.decide(id, { ...latest.current.decisions, [rule]: decision }), rule);
  const reject = (rule: string) => (reason: string) => ask(() => sleep.reject(id, { rule, reason }), rule);
  const end = (next: Outcome) => {
    setOutcome(next);
    ask(() => sleep.proposal(id));
  };

  // the live file may have changed meanwhile
  useEffect(() => {
    const onFocus = () => ask(() => sleep.proposal(id));
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, []);

  const isOpen = review.state === "staged" || review.state === "rejected";
  const taken = change?.kind === "ready" ? change.rules : (review.taken ?? []);
  const labels = new Map(taken.map((rule) => [rule.id, rule.label]));
  return (
    <>
      <h1>
        Rules for {review.document.name} <NightBadge state={review.state} />
      </h1>
      <p class="soft live-path">
        {originOf(review)} · <code>{live}</code>
      </p>
      {review.gate === "off" && <p class="bad">The gate was off: nothing of it is verified.</p>}
      {review.reason !== undefined && (
        <p>
          {review.state === "rejected" ? "You rejected it: " : ""}
          {review.reason}
        </p>
      )}
      <section aria-labelledby="rules">
        <h2 id="rules">{plural(review.rules.length, "rule")}</h2>
        {review.rules.map((rule, at) => (
          <RuleCard
            key={rule.id}
            rule={rule}
            number={at + 1}
            label={labels.get(rule.id) ?? rule.label}
            decision={report.decisions[rule.id]}
            onDecide={isOpen ? decide(rule.id) : undefined}
            onReject={review.state === "staged" ? reject(rule.id) : undefined}
            problem={problem?.rule === rule.id ? problem.sentence : undefined}
          />
        ))}
        <TurnedDown report={report} />
      </section>
      <section class="night-part" aria-labelledby="change">
        <h2 id="change">{change?.kind === "written" ? "What was written" : "What would be written"}</h2>
        <Change report={report} sleep={sleep} onEnd={end} />
        <div role="status">{outcome !== undefined && <OutcomeView outcome={outcome} />}</div>
        {problem !== undefined && problem.rule === undefined && (
          <p class="bad" role="alert">
            {problem.sentence}
          </p>
        )}
      </section>
      {review.state === "staged" && (
        <RejectAll onReject={(reason) => ask(() => sleep.reject(id, { reason }))} />
      )}
    </>
  );
}

function TurnedDown({ report: { review } }: { readonly report: NightProposalReport }) {
  if (review.rejected.length === 0) return null;
  return (
    <details>
      <summary>{plural(review.rejected.length, "rule")} turned down by the night</summary>
      <ul>
        {review.rejected.map(({ id, text, reason }) => (
          <li key={`${id}${text}`}>
            {showText(text)} <span class="soft">{reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface ChangeProps {
  readonly report: NightProposalReport;
  readonly sleep: NightSource;
  readonly onEnd: (outcome: Outcome) => void;
}

function Change(props: ChangeProps) {
  const { review, live, change } = props.report;
  if (change === undefined) return <p>{noChange[review.state]}</p>;
  switch (change.kind) {
    case "none":
      return (
        <p>
          Nothing: <code>{live}</code> says all of it already.
        </p>
      );
    case "refused":
      return (
        <p class="bad refused">
          {change.message} {change.hint}
        </p>
      );
    case "written":
      return <Written {...props} change={change} />;
    case "ready":
      return <Ready {...props} change={change} />;
  }
}

const noChange: Readonly<Record<NightProposalReport["review"]["state"], string>> = {
  staged: "No rule is taken, so nothing would change.",
  adopted: "It went onto a branch; the live file was left as it is.",
  rejected: "Nothing. If you want a rule of it all the same, accept that one.",
  superseded: "Nothing: what is still open stands in the newer proposal.",
};

function Ready({
  report: { review, live },
  sleep,
  onEnd,
  change,
}: ChangeProps & { readonly change: Extract<NightChange, { readonly kind: "ready" }> }) {
  const [seen, setSeen] = useState<readonly string[]>([]);
  const { hashes, powers, unsafe, unproven, merged, rules } = change;
  const left = powers.filter((power) => isAsked(power) && !seen.includes(power.id)).length;
  const count = plural(rules.length, "rule");
  const obstacle =
    unsafe.length > 0
      ? "It cannot be adopted as it is."
      : left > 0
        ? `Acknowledge ${plural(left, "new power")} first.`
        : "Nothing changes before you have seen and confirmed the file.";
  return (
    <>
      <p role="status">{change.sentence}</p>
      {merged && (
        <p class="bad">
          <code>{live}</code> changed since the night. The rules go into it as it is now; so it is shown here,
          and so it is not proven.
        </p>
      )}
      <ChangedFile live={live} change={change} />
      {unsafe.map((sentence) => (
        <p key={sentence} class="bad">
          A reader would not see this: {sentence}
        </p>
      ))}
      {powers.length > 0 && <PowerChecks powers={powers} seen={seen} onSee={setSeen} />}
      <p>
        <ActButton
          label={`Adopt ${count} …`}
          isPrimary
          isDisabled={left > 0 || unsafe.length > 0}
          title={`Write ${count} into ${review.document.name}?`}
          intro="This file will be written, exactly as shown on this page. What is there now is kept, and undo puts it back:"
          files={[{ path: live, fate: hashes.before === null ? "is new" : "is replaced" }]}
          word={unproven ? "I know that no test has shown every rule of it to help." : undefined}
          confirm="Write 1 file"
          act={() =>
            sleep.adopt(review.id, {
              hash: hashes.after ?? "",
              acknowledge: powers.map(({ id }) => id).filter((id) => seen.includes(id)),
              merge: merged,
              unproven,
            })
          }
          onEnd={onEnd}
        />{" "}
        <span class="soft">{obstacle}</span>
      </p>
    </>
  );
}

function Written({
  report: { review, live },
  sleep,
  onEnd,
  change,
}: ChangeProps & { readonly change: Extract<NightChange, { readonly kind: "written" }> }) {
  return (
    <>
      <ul>
        {(review.taken ?? []).map(({ id, label }) => (
          <li key={id}>
            Rule {review.rules.findIndex((rule) => rule.id === id) + 1}: {label}
          </li>
        ))}
      </ul>
      <ChangedFile live={live} change={change} />
      <p>
        <ActButton
          label="Undo …"
          title={`Take the rules out of ${review.document.name} again?`}
          intro="This file will be put back as it was before:"
          files={[{ path: live, fate: change.hashes.before === null ? "is deleted" : "is put back" }]}
          confirm="Put back"
          act={() => sleep.undo(review.id)}
          onEnd={onEnd}
        />
      </p>
    </>
  );
}

const ChangedFile = ({ live, change }: { readonly live: string; readonly change: WrittenChange }) => (
  <>
    <Diff before={change.before} after={change.after} label={live} />
    <dl class="hashes">
      <Hash name="SHA-256 before">{change.hashes.before ?? "no file"}</Hash>
      <Hash name="SHA-256 after">{change.hashes.after ?? "no file"}</Hash>
    </dl>
  </>
);

const Hash = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <>
    <dt class="soft">{name}</dt>
    <dd class="mono">{children}</dd>
  </>
);

function RejectAll({ onReject }: { readonly onReject: (reason: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="night-part" aria-label="Reject all of it">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Reject all of it …
      </button>
      {isOpen && (
        <TextForm
          label="Why not? Nothing of it is proposed again, however it is worded."
          first=""
          confirm="Reject the proposal"
          onEnd={(reason) => {
            setOpen(false);
            onReject(reason);
          }}
          onCancel={() => setOpen(false)}
        />
      )}
    </section>
  );
}
