import type { ComponentChildren } from "preact";
import type { Edit } from "../../../src/core/skill/edit.ts";
import { spellOut } from "../../../src/report/spell-out.ts";
import { TaskLinks } from "./task-links.tsx";
import "./edit.css";

const opWords: Readonly<Record<Edit["op"], string>> = {
  append: "Append",
  insert_after: "Insert after",
  replace: "Replace",
  delete: "Delete",
};

const originWords: Readonly<Record<NonNullable<Edit["origin"]>, string>> = {
  analyst: "",
  "slow-update": "from the epoch review",
};

/** One edit: what it does, its text, and the tasks that suggested it. */
export function EditView({
  run,
  edit,
  children,
}: {
  readonly run: string;
  readonly edit: Edit;
  /** Its outcome. */
  readonly children?: ComponentChildren;
}) {
  const { op, target, content, file, evidence, source, origin } = edit;
  return (
    <div class="edit">
      <p class="edit-head">
        <b>{opWords[op]}</b>
        {op === "insert_after" && target !== undefined && <q>{firstLine(target)}</q>}
        {file !== undefined && <code>{file}</code>}
        {source !== undefined && (
          <span class="badge">{source === "failure" ? "from failures" : "from successes"}</span>
        )}
        {origin !== undefined && originWords[origin] !== "" && (
          <span class="badge">{originWords[origin]}</span>
        )}
      </p>
      {(op === "replace" || op === "delete") && target !== undefined && (
        <pre class="removed">
          <del>{showText(target)}</del>
        </pre>
      )}
      {content !== undefined && content !== "" && (
        <pre class="added">
          <ins>{showText(content)}</ins>
        </pre>
      )}
      {children}
      {evidence.length > 0 && (
        <p class="soft">
          Suggested by <TaskLinks run={run} tasks={evidence} />
        </p>
      )}
    </div>
  );
}

/** Spells out characters that a reader wouldn't see. */
export const showText = (text: string): string => text.split("\n").map(spellOut).join("\n");

const firstLine = (text: string): string => spellOut(text.trim().split("\n", 1)[0] ?? "");
