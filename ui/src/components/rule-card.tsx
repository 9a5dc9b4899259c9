import { useId, useRef, useState } from "preact/hooks";
import type { Decision, ReviewRule } from "../../../src/core/offer/review.ts";
import { isWithoutEffect } from "../../../src/core/offer/without-effect.ts";
import { plural } from "../format.ts";
import { showText } from "./edit.tsx";
import { isAsked } from "./power-checks.tsx";
import { WishView } from "./wish-view.tsx";
import "./edit.css";
import "./rule-card.css";

export interface RuleCardProps {
  readonly rule: ReviewRule;
  readonly number: number;
  /** What is known of it as it is chosen. */
  readonly label: string;
  readonly decision: Decision | undefined;
  /** Without it there is nothing left to decide. */
  readonly onDecide: ((decision: Decision) => void) | undefined;
  /** Without it the rule is out already: it can only be taken after all. */
  readonly onReject: ((reason: string) => void) | undefined;
  /** Why the last decision on it did not stand. */
  readonly problem?: string;
}

/** One rule: its words, what is known of it, where it comes from, and what becomes of it. */
export function RuleCard(props: RuleCardProps) {
  const { rule, number, label, decision, onDecide, onReject, problem } = props;
  const title = useId();
  const isIn = decision?.deed === "accept" || decision?.deed === "edit";
  return (
    <article class={isIn ? "panel rule" : "panel rule left"} aria-labelledby={title}>
      <h3 class="rule-title" id={title}>
        Rule {number} <Label label={label} tone={tones[rule.status]} />
      </h3>
      <Words rule={rule} decision={decision} />
      {rule.wish !== undefined && <WishView wish={rule.wish} />}
      <div class="rule-parts">
        <Evidence measured={rule.measured} isEdited={decision?.deed === "edit"} />
        {rule.wish === undefined && <Provenance rule={rule} />}
      </div>
      {rule.tokens > 0 && (
        <p class="soft">Costs about {plural(rule.tokens, "token")} of every conversation.</p>
      )}
      {rule.powers.length > 0 && <Powers powers={rule.powers} />}
      {rule.rejection !== undefined && <p class="bad">You rejected it: {rule.rejection}</p>}
      {onDecide !== undefined && decision === undefined && isWithoutEffect(rule) && (
        <p class="bad">Left out unless you accept it: measured without effect.</p>
      )}
      {onDecide !== undefined && (
        <Choice rule={rule} number={number} decision={decision} onDecide={onDecide} onReject={onReject} />
      )}
      {problem !== undefined && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </article>
  );
}

const tones: Readonly<Record<ReviewRule["status"], string>> = {
  proven: "good",
  open: "open",
  stated: "even",
  unverified: "bad",
};

/** `stated 4 times, works on your tasks (0 of 12 → 12 of 12 on 4 of your tasks)`: the verdict, then the figures. */
function Label({ label, tone }: { readonly label: string; readonly tone: string }) {
  const [, verdict = label, figures] = /^(.*?)(?: \((.*)\))?$/.exec(label) ?? [];
  return (
    <>
      <span class={`badge ${label.startsWith("edited") ? "even" : tone}`}>{verdict}</span>
      {figures !== undefined && <span class="soft">{figures}</span>}
    </>
  );
}

function Words({
  rule: { edit },
  decision,
}: {
  readonly rule: ReviewRule;
  readonly decision: Decision | undefined;
}) {
  const text = decision?.deed === "edit" ? decision.text : edit.op === "delete" ? undefined : edit.text;
  return (
    <div class="edit">
      {edit.op !== "add" && (
        <>
          <p class="soft">{edit.op === "replace" ? "Instead of" : "Takes away"}</p>
          <pre class="removed">
            <del>{showText(edit.target)}</del>
          </pre>
        </>
      )}
      {text !== undefined && (
        <pre class="added">
          <ins>{showText(text.trimEnd())}</ins>
        </pre>
      )}
    </div>
  );
}

/** What each task of its habit came to, without the rule and with it. */
function Evidence({ measured, isEdited }: Pick<ReviewRule, "measured"> & { readonly isEdited: boolean }) {
  return (
    <div>
      <h4>Without it → with it{isEdited && ", before your edit"}</h4>
      {measured.length === 0 ? (
        <p class="soft">Not measured.</p>
      ) : (
        <ul class="plain">
          {measured.map(({ task, night, rollouts, with: after, without }) => (
            <li key={task}>
              {score(without)} → {score(after)} of {rollouts}{" "}
              <span class="soft">
                {task}, night {night}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A sum of scores: whole where every one is 0 or 1. */
const score = (sum: number): string => (Number.isInteger(sum) ? String(sum) : sum.toFixed(1));

function Provenance({ rule: { provenance } }: { readonly rule: ReviewRule }) {
  const { conversations, tasks } = provenance;
  return (
    <div>
      <h4>Comes from</h4>
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
      {conversations.length === 0 && <p class="soft">No conversation.</p>}
      {tasks.length > 0 && (
        <p class="soft">
          {plural(tasks.length, "task")}: {tasks.join(", ")}
        </p>
      )}
    </div>
  );
}

/** Those that a person is asked for stand out; the others are notes. */
function Powers({ powers }: Pick<ReviewRule, "powers">) {
  const asked = powers.filter(isAsked);
  return (
    <div>
      {asked.length > 0 && (
        <p class="bad">
          {asked.length === 1
            ? "It gives an agent a new power:"
            : `It gives an agent ${asked.length} new powers:`}
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
  onDecide,
  onReject,
}: {
  readonly rule: ReviewRule;
  readonly number: number;
  readonly decision: Decision | undefined;
  readonly onDecide: (decision: Decision) => void;
  readonly onReject: RuleCardProps["onReject"];
}) {
  const [form, setForm] = useState<Form>();
  const opener = useRef<HTMLButtonElement>(null);
  const isRejected = rule.rejection !== undefined;
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
  const { edit } = rule;
  return (
    <>
      <div class="rule-choice" role="group" aria-label={`Decide on rule ${number}`}>
        <button
          type="button"
          aria-pressed={decision?.deed === "accept"}
          onClick={() => decide({ deed: "accept" })}
        >
          Accept
        </button>
        {onReject !== undefined && (
          <button
            type="button"
            aria-pressed={decision?.deed === "drop" && !isRejected}
            onClick={() => decide({ deed: "drop" })}
          >
            Drop
          </button>
        )}
        {edit.op === "add" &&
          rule.wish?.wordings.map((text) => (
            <button
              key={text}
              type="button"
              aria-pressed={decision?.deed === "edit" && decision.text === text}
              title={text}
              onClick={() => decide({ deed: "edit", text })}
            >
              In my own words
            </button>
          ))}
        {onReject !== undefined &&
          rule.wish?.sameAs.map(({ wish, text }) => (
            <button
              key={wish}
              type="button"
              aria-pressed={decision?.deed === "same" && decision.as === wish}
              title={text}
              onClick={() => decide({ deed: "same", as: wish })}
            >
              The same as “{shorten(text)}”
            </button>
          ))}
        {edit.op !== "delete" && (
          <button
            type="button"
            aria-pressed={decision?.deed === "edit" && rule.wish?.wordings.includes(decision.text) !== true}
            aria-expanded={form === "edit"}
            onClick={open("edit")}
          >
            Edit …
          </button>
        )}
        {onReject !== undefined && (
          <button
            type="button"
            aria-pressed={isRejected}
            aria-expanded={form === "reject"}
            onClick={open("reject")}
          >
            Reject …
          </button>
        )}
        <span class="soft">{stateWords(decision, isRejected)}</span>
      </div>
      {form === "edit" && edit.op !== "delete" && (
        <TextForm
          label={`New words of rule ${number}`}
          first={decision?.deed === "edit" ? decision.text : edit.text}
          confirm="Take these words"
          isLong
          onEnd={(text) => {
            close();
            onDecide({ deed: "edit", text });
          }}
          onCancel={close}
        />
      )}
      {form === "reject" && onReject !== undefined && (
        <TextForm
          label="Why not? It is proposed no more, however it is worded."
          first=""
          confirm={`Reject rule ${number}`}
          onEnd={(reason) => {
            close();
            onReject(reason);
          }}
          onCancel={close}
        />
      )}
    </>
  );
}

function stateWords(decision: Decision | undefined, isRejected: boolean): string {
  if (isRejected && decision?.deed !== "accept" && decision?.deed !== "edit") return "rejected, not taken";
  if (decision === undefined) return "not decided, not taken";
  if (decision.deed === "drop") return "not taken until you say it again";
  if (decision.deed === "same") return "one with the other from the next night on";
  return decision.deed === "accept" ? "taken" : "taken with your words";
}

/** A text that somebody writes; Escape leaves it, Ctrl or ⌘ with Enter takes it. */
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
