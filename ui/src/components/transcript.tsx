import { useMemo, useState } from "preact/hooks";
import type { Message } from "../../../src/core/ports/model.ts";
import { plural } from "../format.ts";
import { type Turn, summarizeInput, transcriptTurns } from "./transcript-turns.ts";
import "./transcript.css";

/** Everything said and done in a rollout, with tool calls folded. */
export function Transcript({ conversation }: { readonly conversation: readonly Message[] }) {
  const turns = useMemo(() => transcriptTurns(conversation), [conversation]);
  const calls = turns.filter(({ kind }) => kind === "call").length;
  // a new number redraws every fold, either all open or all closed
  const [folds, setFolds] = useState({ times: 0, open: false });
  if (turns.length === 0) return <p class="soft">This rollout has no messages.</p>;
  return (
    <div class="transcript">
      {calls > 0 && (
        <p>
          {plural(calls, "tool call")}{" "}
          <button
            type="button"
            onClick={() => setFolds(({ times, open }) => ({ times: times + 1, open: !open }))}
          >
            {folds.open ? "Fold all" : "Unfold all"}
          </button>
        </p>
      )}
      <ol key={folds.times}>
        {turns.map((turn, at) => (
          <li key={at} class={turn.kind}>
            <TurnView turn={turn} open={folds.open} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function TurnView({ turn, open }: { readonly turn: Turn; readonly open: boolean }) {
  if (turn.kind !== "call") {
    return (
      <>
        <h4>{turn.kind === "asked" ? "Asked" : "Answered"}</h4>
        <div class="said">{turn.text}</div>
      </>
    );
  }
  return (
    <details open={open}>
      <summary>
        <b>{turn.tool}</b>
        {turn.failed && <span class="badge bad">failed</span>}
        {turn.output === undefined && <span class="badge open">no result</span>}{" "}
        <code class="soft">{summarizeInput(turn.input)}</code>
      </summary>
      <h5>Input</h5>
      <pre>{turn.input}</pre>
      <h5>{turn.failed ? "Error" : "Result"}</h5>
      {turn.output === undefined ? (
        <p class="soft">The rollout ended before the result arrived.</p>
      ) : (
        <pre>{turn.output}</pre>
      )}
    </details>
  );
}
