import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Decision, Rule } from "../../../src/core/rules/rule.ts";
import type { OfferChange, OfferReport, OfferSource, OfferedFile } from "../../../src/report/model.ts";
import { ActButton, type Outcome, OutcomeView } from "../components/act-button.tsx";
import { Diff } from "../components/diff.tsx";
import { showText } from "../components/edit.tsx";
import { worthNote } from "../components/measured-rules.tsx";
import { Loaded, describe } from "../components/message.tsx";
import { NightBadge } from "../components/badge.tsx";
import { PowerChecks, isAsked } from "../components/power-checks.tsx";
import { RuleCard, TextForm } from "../components/rule-card.tsx";
import { useApp } from "../context.ts";
import { plural } from "../format.ts";
import { useLoad } from "../use-load.ts";
import { NoNights, originOf } from "./proposals.tsx";
import "./offer.css";

/** A proposal of a training, a pruning or a night: its rules, then the files and the buttons. */
export function OfferPage({ id, children }: { readonly id: string; readonly children?: ComponentChildren }) {
  const { offers } = useApp().source;
  const load = useLoad(id, async () => offers?.proposal(id));
  if (offers === undefined) return <NoNights />;
  return (
    <Loaded load={load} what="the proposal">
      {(first) => first !== undefined && <Offer first={first} offers={offers} evidence={children} />}
    </Loaded>
  );
}

/** Why a request failed, and which rule it was for. */
interface Problem {
  readonly rule: string | undefined;
  readonly sentence: string;
}

function Offer({
  first,
  offers,
  evidence,
}: {
  readonly first: OfferReport;
  readonly offers: OfferSource;
  readonly evidence: ComponentChildren;
}) {
  const { runs } = useApp();
  const [report, setReport] = useState(first);
  const [problem, setProblem] = useState<Problem>();
  const [outcome, setOutcome] = useState<Outcome>();
  const latest = useRef(report);
  const inTurn = useRef(Promise.resolve());
  const { review, live, change, decisions } = report;
  const { id, night, rules, state } = review;

  /** One at a time: each builds on the result of the one before. */
  function ask(act: () => Promise<OfferReport>, rule?: string): void {
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
    ask(() => offers.decide(id, { ...latest.current.decisions, [rule]: decision }), rule);
  const end = (next: Outcome) => {
    setOutcome(next);
    ask(() => offers.proposal(id));
    if (night === undefined) void runs.refresh(id);
  };

  // the live files may have changed in the meantime
  useEffect(() => {
    const onFocus = () => ask(() => offers.proposal(id));
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, []);

  const taken = change?.kind === "ready" ? change.rules : [];
  const labelOf = ({ id: rule, label }: Rule): string =>
    taken.find((one) => one.id === rule)?.label ??
    (decisions[rule]?.deed === "edit" ? "edited by you, not measured" : label);
  // a training numbers its rules itself
  const numbered = rules.map((rule, at) => ({
    rule,
    number: /^\d{1,6}$/.test(rule.id) ? rule.id : String(at + 1),
  }));
  return (
    <>
      <h1>
        Proposal for {review.document.name} <NightBadge state={state} />
      </h1>
      <p class="soft live-path">
        {night !== undefined && `${originOf(review)} · `}
        <code>{live}</code>
      </p>
      {review.gate === "off" && <p class="bad">The gate was off: nothing here is verified.</p>}
      {review.reason !== undefined && (
        <p>
          {state === "rejected" ? "You rejected it: " : ""}
          {review.reason}
        </p>
      )}
      {evidence}
      {rules.length > 0 && (
        <section aria-labelledby="rules">
          <h2 id="rules">{plural(rules.length, "rule")}</h2>
          {numbered.map(({ rule, number }) => (
            <RuleCard
              key={rule.id}
              rule={rule}
              number={number}
              run={night === undefined ? id : undefined}
              label={labelOf(rule)}
              decision={decisions[rule.id]}
              others={numbered.filter((other) => other.rule !== rule)}
              onDecide={state === "staged" || state === "rejected" ? decide(rule.id) : undefined}
              isOut={state === "rejected"}
              problem={problem?.rule === rule.id ? problem.sentence : undefined}
            />
          ))}
          {rules.some(({ evidence }) => evidence.some(({ kind }) => kind === "worth")) && (
            <p class="soft">{worthNote}</p>
          )}
          <TurnedDown report={report} />
        </section>
      )}
      <section class="offer-part" aria-labelledby="change">
        <h2 id="change">{change?.kind === "written" ? "Written change" : "Proposed change"}</h2>
        <Change report={report} offers={offers} onEnd={end} />
        <div role="status">{outcome !== undefined && <OutcomeView outcome={outcome} />}</div>
        {problem !== undefined && problem.rule === undefined && (
          <p class="bad" role="alert">
            {problem.sentence}
          </p>
        )}
      </section>
      {state === "staged" && <RejectAll onReject={(reason) => ask(() => offers.reject(id, { reason }))} />}
    </>
  );
}

function TurnedDown({ report: { review } }: { readonly report: OfferReport }) {
  if (review.rejected.length === 0) return null;
  return (
    <details>
      <summary>{plural(review.rejected.length, "rule")} rejected by the night</summary>
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
  readonly report: OfferReport;
  readonly offers: OfferSource;
  readonly onEnd: (outcome: Outcome) => void;
}

function Change(props: ChangeProps) {
  const { review, live, change } = props.report;
  if (change === undefined) return <p>{noChange[review.state]}</p>;
  switch (change.kind) {
    case "none":
      return (
        <p>
          Nothing: <code>{live}</code> already says all of it.
        </p>
      );
    case "refused":
      return (
        <p class="bad refused">
          {change.message} {change.hint}
        </p>
      );
    case "written":
      return <Written {...props} files={change.files} />;
    case "ready":
      return <Ready {...props} change={change} />;
  }
}

const noChange: Readonly<Record<OfferReport["review"]["state"], string>> = {
  staged: "No rule is accepted, so nothing would change.",
  adopted: "All of it is in the live file.",
  rejected: "Nothing. If you still want one of its rules, accept that rule.",
  superseded: "Nothing. A newer proposal has the rules that are still open.",
};

function Ready({
  report: { review, live },
  offers,
  onEnd,
  change,
}: ChangeProps & { readonly change: Extract<OfferChange, { readonly kind: "ready" }> }) {
  const [seen, setSeen] = useState<readonly string[]>([]);
  const { files, powers, unsafe, unproven, isPart, merged, rules } = change;
  const left = powers.filter((power) => isAsked(power) && !seen.includes(power.id)).length;
  const obstacle =
    unsafe.length > 0
      ? "This can't be adopted as it is."
      : left > 0
        ? `Acknowledge ${plural(left, "new power")} first.`
        : "Nothing changes until you confirm the list of files.";
  return (
    <>
      {/* for a run's whole proposal, the evidence says it */}
      <p role="status">{(review.night !== undefined || isPart) && change.sentence}</p>
      {merged && (
        <p class="bad">
          <code>{live}</code> changed since the night, so the rules go into the file as it is now. The
          resulting text is shown here; it isn't proven.
        </p>
      )}
      <ChangedFiles files={files} />
      {unsafe.map((sentence) => (
        <p key={sentence} class="bad">
          A reader wouldn't see this: {sentence}
        </p>
      ))}
      {powers.length > 0 && <PowerChecks powers={powers} seen={seen} onSee={setSeen} />}
      <p>
        <ActButton
          label={rules.length === 0 ? "Adopt …" : `Adopt ${plural(rules.length, "rule")} …`}
          isPrimary={!unproven && !isPart}
          isDisabled={left > 0 || unsafe.length > 0}
          title={`Change ${review.document.name}?`}
          intro="These files will be written exactly as shown on this page. Their current content is kept, and undo restores it:"
          files={files.map(({ path, hashes: { before, after } }) => ({
            path,
            fate: before === null ? "is new" : after === null ? "is deleted" : "is replaced",
          }))}
          word={
            unproven
              ? "I know that no test has shown that all of this helps."
              : isPart
                ? "I know that this part was not tested by itself."
                : undefined
          }
          confirm={`Write ${plural(files.length, "file")}`}
          act={() =>
            offers.adopt(review.id, {
              shown: change.shown,
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

const Written = ({
  report: { review },
  offers,
  onEnd,
  files,
}: ChangeProps & { readonly files: readonly OfferedFile[] }) => (
  <>
    <ChangedFiles files={files} />
    <p>
      <ActButton
        label="Undo …"
        title={`Undo the change to ${review.document.name}?`}
        intro="These files will be restored:"
        files={files.map(({ path, hashes }) => ({
          path,
          fate: hashes.before === null ? "is deleted" : "is restored",
        }))}
        confirm="Restore"
        act={() => offers.undo(review.id)}
        onEnd={onEnd}
      />
    </p>
  </>
);

const ChangedFiles = ({ files }: { readonly files: readonly OfferedFile[] }) => (
  <>
    {files.map(({ path, before, after, hashes }) => (
      <div key={path}>
        <Diff before={before} after={after} label={path} />
        <dl class="hashes">
          <Hash name="SHA-256 before">{hashes.before ?? "no file"}</Hash>
          <Hash name="SHA-256 after">{hashes.after ?? "no file"}</Hash>
        </dl>
      </div>
    ))}
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
    <section class="offer-part" aria-label="Reject everything">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Reject everything …
      </button>
      {isOpen && (
        <TextForm
          label="Why not? None of its rules will be proposed for this file again."
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
