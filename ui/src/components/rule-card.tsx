import { isTaken, shortId, replacedWords, writtenWords } from "../../../src/core/rules/rule-words.ts";
import type { ComponentProps } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { whyLeftOut } from "../../../src/core/offer/without-effect.ts";
import type { Decision, Rule, RuleEvidence } from "../../../src/core/rules/rule.ts";
import { signedPoint } from "../../../src/core/verdict-words.ts";
import { count, percent, plural } from "../format.ts";
import { showText } from "./edit.tsx";
import { Swaps } from "./measured-rules.tsx";
import { isAsked } from "./power-checks.tsx";
import { TaskLinks } from "./task-links.tsx";
import { WishView } from "./wish-view.tsx";
import "./edit.css";
import "./rule-card.css";

export interface RuleCardProps {
  readonly rule: Rule;
  readonly number: string;
  /** The run that made it, if one did. */
  readonly run: string | undefined;
  /** The evidence for it in its chosen form. */
  readonly label: string;
  readonly decision: Decision | undefined;
  /** The other rules of the proposal. */
  readonly others: readonly Pick<RuleCardProps, "rule" | "number">[];
  /** Missing if nothing is left to decide. */
  readonly onDecide: ((decision: Decision) => void) | undefined;
  /** The whole proposal was rejected, so the rule can only be accepted after all. */
  readonly isOut: boolean;
  /** Why the last decision about it was refused. */
  readonly problem?: string | undefined;
}

/** One rule: its text, its evidence, its origin, and the decision about it. */
export function RuleCard(props: RuleCardProps) {
  const { rule, number, run, label, decision, onDecide, problem } = props;
  const title = useId();
  const isIn = decision !== undefined && isTaken(decision);
  return (
    <article class={isIn ? "panel rule" : "panel rule left"} aria-labelledby={title}>
      <h3 class="rule-title" id={title}>
        Rule {number} <Label label={label} tone={tones[rule.status]} />
        {number !== rule.id && <code class="soft">{shortId(rule)}</code>}
      </h3>
      <Words rule={rule} decision={decision} />
      {rule.wish !== undefined && <WishView wish={rule.wish} />}
      <div class="rule-parts">
        <Evidence rule={rule} isEdited={decision?.deed === "edit"} />
        {rule.wish === undefined && <Provenance rule={rule} run={run} />}
      </div>
      {rule.tokens !== 0 && (
        <p class="soft">
          About {plural(Math.abs(rule.tokens), "token")} {rule.tokens > 0 ? "more" : "fewer"} in every prompt.
        </p>
      )}
      {rule.powers.length > 0 && <Powers powers={rule.powers} />}
      {decision?.deed === "reject" && <p class="bad">You rejected it: {decision.reason}</p>}
      {onDecide !== undefined && decision === undefined && whyLeftOut(rule) !== undefined && (
        <p class="bad">Left out unless you accept it: {whyLeftOut(rule)}.</p>
      )}
      {onDecide === undefined ? (
        <p class="soft">{stateWords(decision)}</p>
      ) : (
        <Choice {...props} onDecide={onDecide} />
      )}
      {problem !== undefined && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </article>
  );
}

const tones: Readonly<Record<Rule["status"], string>> = {
  proven: "good",
  measured: "even",
  open: "open",
  stated: "even",
  unverified: "bad",
  edited: "even",
};

/** `works on your tasks (0 of 12 → 12 of 12 on 4 of your tasks)`: the verdict, then the figures. */
function Label({ label, tone }: { readonly label: string; readonly tone: string }) {
  const [, verdict = label, figures] = /^(.*?)(?: \((.*)\))?$/.exec(label) ?? [];
  return (
    <>
      <span class={`badge ${label.startsWith("edited") ? "even" : tone}`}>{verdict}</span>
      {figures !== undefined && <span class="soft">{figures}</span>}
    </>
  );
}

function Words({ rule: { edit, text }, decision }: Pick<RuleCardProps, "rule" | "decision">) {
  const own = writtenWords(edit);
  const before = replacedWords(edit) ?? (own === undefined ? text : undefined);
  const after = decision?.deed === "edit" ? decision.text : own;
  return (
    <div class="edit">
      {before !== undefined && (
        <>
          <p class="soft">{after === undefined ? "Removes" : "Replaces"}</p>
          <pre class="removed">
            <del>{showText(before.trimEnd())}</del>
          </pre>
        </>
      )}
      {after !== undefined && (
        <pre class="added">
          <ins>{showText(after.trimEnd())}</ins>
        </pre>
      )}
    </div>
  );
}

/** The measurements behind it. */
function Evidence({
  rule: { evidence, label },
  isEdited,
}: Pick<RuleCardProps, "rule"> & { readonly isEdited: boolean }) {
  const isTossed = evidence.some(({ kind }) => kind === "tosses");
  return (
    <div>
      <h4>
        {isTossed ? "Without it → with it" : "Measured"}
        {isEdited && ", before your edit"}
      </h4>
      {evidence.length === 0 ? (
        <p class="soft">Not measured.</p>
      ) : (
        <ul class="plain">
          {isEdited && <li>{label}</li>}
          {evidence.map((one, at) => (
            <li key={at}>
              <Measured one={one} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The evidence behind a rule's label. */
function Measured({ one }: { readonly one: RuleEvidence }) {
  switch (one.kind) {
    case "worth":
      return (
        <>
          In {count(one.rollouts)} of {count(one.ofRollouts)} val rollouts.
          <Swaps swaps={one} />
        </>
      );
    case "tosses":
      return (
        <>
          {score(one.without)} → {score(one.with)} of {one.rollouts}{" "}
          <span class="soft">
            {one.talk === true ? "your conversation before you said it" : one.task}, night {one.night}
          </span>
        </>
      );
    case "loss":
      return (
        <>
          Worth {signedPoint(one.points)} points (95% interval {signedPoint(one.low)} to{" "}
          {signedPoint(one.high)}), {plural(one.rollouts, "val rollout")} with and without it. Chance that
          some task needs it: {percent(one.needed)}.
        </>
      );
    case "stops":
      return <>Made from {plural(one.madeFrom, "conversation")}, tested on others. A reminder, not a wall.</>;
  }
}

/** A sum of scores: an integer if every score is 0 or 1. */
const score = (sum: number): string => (Number.isInteger(sum) ? String(sum) : sum.toFixed(1));

function Provenance({ rule: { provenance }, run }: Pick<RuleCardProps, "rule" | "run">) {
  const { conversations, tasks } = provenance;
  if (conversations.length + tasks.length === 0) return null;
  return (
    <div>
      <h4>Origin</h4>
      <ul class="quotes">
        {conversations.map(({ id, source, date, words }) => (
          <li key={id}>
            {source}, {date}
            {words.map((said) => (
              <q key={said}>{showText(said)}</q>
            ))}
          </li>
        ))}
      </ul>
      {tasks.length > 0 && (
        <p class="soft">
          {plural(tasks.length, "task")}:{" "}
          {run === undefined ? tasks.join(", ") : <TaskLinks run={run} tasks={tasks} />}
        </p>
      )}
    </div>
  );
}

/** Powers that need acknowledgement come first; the others are notes. */
function Powers({ powers }: Pick<Rule, "powers">) {
  const asked = powers.filter(isAsked);
  return (
    <div>
      {asked.length > 0 && (
        <p class="bad">
          {asked.length === 1
            ? "It gives an agent a new permission:"
            : `It gives an agent ${asked.length} new permissions:`}
        </p>
      )}
      <ul class="powers">
        {[...asked, ...powers.filter((power) => !isAsked(power))].map(({ id, kind, item, rank }) => (
          <li key={id} class={rank === "ask" ? undefined : "soft"}>
            {kind}: <code>{showText(item)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

type Form = "edit" | "reject";

function Choice({
  rule,
  number,
  decision,
  others,
  isOut,
  onDecide,
}: RuleCardProps & { readonly onDecide: (decision: Decision) => void }) {
  const [form, setForm] = useState<Form>();
  const opener = useRef<HTMLButtonElement>(null);
  const open = (next: Form) => (event: { readonly currentTarget: HTMLButtonElement }) => {
    opener.current = event.currentTarget;
    setForm(form === next ? undefined : next);
  };
  const close = () => {
    setForm(undefined);
    opener.current?.focus();
  };
  const decide = (next: Decision) => {
    setForm(undefined);
    onDecide(next);
  };
  const closeWith = (next: Decision) => {
    close();
    onDecide(next);
  };
  const own = writtenWords(rule.edit);
  const { wordings = [], sameAs = [] } = rule.wish ?? {};
  return (
    <>
      <div class="rule-choice" role="group" aria-label={`Decide on rule ${number}`}>
        <Deed isOn={decision?.deed === "accept"} onClick={() => decide({ deed: "accept" })}>
          Accept
        </Deed>
        {!isOut && (
          <Deed isOn={decision?.deed === "drop"} onClick={() => decide({ deed: "drop" })}>
            Drop
          </Deed>
        )}
        {replacedWords(rule.edit) === undefined &&
          wordings.map((text) => (
            <Deed
              key={text}
              isOn={decision?.deed === "edit" && decision.text === text}
              title={text}
              onClick={() => decide({ deed: "edit", text })}
            >
              In my own words
            </Deed>
          ))}
        {!isOut &&
          sameAs.map(({ wish, text }) => (
            <Deed
              key={wish}
              isOn={decision?.deed === "same" && decision.as === wish}
              title={text}
              onClick={() => decide({ deed: "same", as: wish })}
            >
              The same as “{shorten(text)}”
            </Deed>
          ))}
        {own !== undefined && (
          <Deed
            isOn={decision?.deed === "edit" && !wordings.includes(decision.text)}
            aria-expanded={form === "edit"}
            onClick={open("edit")}
          >
            Edit …
          </Deed>
        )}
        {!isOut && (
          <Deed isOn={decision?.deed === "reject"} aria-expanded={form === "reject"} onClick={open("reject")}>
            Reject …
          </Deed>
        )}
        {!isOut && own !== undefined && sameAs.length === 0 && others.length > 0 && (
          <select
            aria-label={`Rule ${number} is the same as`}
            value={decision?.deed === "same" ? decision.as : ""}
            onChange={({ currentTarget: { value } }) =>
              decide(value === "" ? { deed: "drop" } : { deed: "same", as: value })
            }
          >
            <option value="">The same as …</option>
            {others.map(({ rule: { id, wish }, number: other }) => (
              <option key={id} value={wish?.id ?? id}>
                The same as rule {other}
              </option>
            ))}
          </select>
        )}
        <span class="soft">{stateWords(decision)}</span>
      </div>
      {form === "edit" && own !== undefined && (
        <TextForm
          label={`New text of rule ${number}`}
          first={decision?.deed === "edit" ? decision.text : own}
          confirm="Use this text"
          isLong
          onEnd={(text) => closeWith({ deed: "edit", text })}
          onCancel={close}
        />
      )}
      {form === "reject" && !isOut && (
        <TextForm
          label="Why not? It won't be proposed for this file again."
          first=""
          confirm={`Reject rule ${number}`}
          onEnd={(reason) => closeWith({ deed: "reject", reason })}
          onCancel={close}
        />
      )}
    </>
  );
}

const Deed = ({ isOn, ...rest }: ComponentProps<"button"> & { readonly isOn: boolean }) => (
  <button type="button" aria-pressed={isOn} {...rest} />
);

const stateWords = (decision: Decision | undefined): string =>
  decision === undefined ? "not decided, not included" : deedWords[decision.deed];

const deedWords: Readonly<Record<Decision["deed"], string>> = {
  accept: "accepted",
  drop: "dropped; it may be proposed again",
  reject: "rejected",
  edit: "accepted with your text",
  same: "not included: the same as the other",
};

/** A text field with its buttons. Escape cancels; Ctrl+Enter or ⌘+Enter confirms. */
export function TextForm({
  label,
  first,
  confirm,
  isLong = false,
  onEnd,
  onCancel,
}: {
  readonly label: string;
  readonly first: string;
  readonly confirm: string;
  readonly isLong?: boolean;
  readonly onEnd: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState(first);
  const isEmpty = text.trim() === "";
  const field = {
    value: text,
    ref: focusOnce,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setText(currentTarget.value),
  };
  return (
    <form
      class="rule-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty) onEnd(text);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isEmpty) onEnd(text);
      }}
    >
      <label>
        {label}
        {isLong ? (
          <textarea {...field} rows={Math.min(12, text.split("\n").length + 1)} />
        ) : (
          <input type="text" {...field} />
        )}
      </label>
      <div class="toolbar">
        <button type="submit" class="primary" disabled={isEmpty}>
          {confirm}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const focusOnce = (element: HTMLElement | null): void => {
  if (element !== null && !element.contains(document.activeElement)) element.focus();
};
