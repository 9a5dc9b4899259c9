import { useId, useRef, useState } from "preact/hooks";
import { describe } from "./message.tsx";
import "./act-button.css";

/** The result of an action that changes files. */
export type Outcome =
  | { readonly kind: "done"; readonly lines: readonly string[] }
  | { readonly kind: "failed"; readonly message: string; readonly hint: string };

export interface ActProps {
  /** The text of the button that opens the dialog. */
  readonly label: string;
  readonly isPrimary?: boolean;
  readonly isDisabled?: boolean;
  readonly title: string;
  readonly intro: string;
  /** Full paths, each with what happens to it. */
  readonly files: readonly { readonly path: string; readonly fate: string }[];
  /** A statement that the person must check first. */
  readonly word?: string;
  /** The text of the button that does it. */
  readonly confirm: string;
  readonly act: () => Promise<readonly string[]>;
  readonly onEnd: (outcome: Outcome) => void;
}

/** A button that changes the person's files. It lists them and asks before it does. */
export function ActButton(props: ActProps) {
  const { label, isPrimary = false, isDisabled = false, title, intro, files, word, confirm } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [isBusy, setBusy] = useState(false);
  const [isSure, setSure] = useState(false);

  async function perform(): Promise<void> {
    setBusy(true);
    const outcome = await props.act().then(
      (lines): Outcome => ({ kind: "done", lines }),
      (error: unknown): Outcome => ({ kind: "failed", ...describe(error) }),
    );
    setBusy(false);
    setSure(false);
    dialog.current?.close();
    props.onEnd(outcome);
  }

  return (
    <>
      <button
        type="button"
        class={isPrimary ? "primary" : ""}
        disabled={isDisabled}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId}>
        <h2 id={titleId}>{title}</h2>
        <p>{intro}</p>
        <ul class="act-files">
          {files.map(({ path, fate }) => (
            <li key={path}>
              <code>{path}</code> <b>{fate}</b>
            </li>
          ))}
        </ul>
        {word !== undefined && (
          <label class="act-word">
            <input
              type="checkbox"
              checked={isSure}
              onChange={({ currentTarget }) => setSure(currentTarget.checked)}
            />{" "}
            {word}
          </label>
        )}
        <div class="toolbar">
          <button
            type="button"
            class="primary"
            disabled={isBusy || (word !== undefined && !isSure)}
            onClick={() => void perform()}
          >
            {confirm}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  );
}

export function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.kind === "done") return <pre class="act-lines">{outcome.lines.join("\n")}</pre>;
  return (
    <p class="bad act-failed">
      {outcome.message} {outcome.hint}
    </p>
  );
}
