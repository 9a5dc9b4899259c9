import type { Task } from "../../tasks/task.ts";
import { taskSecrets } from "../../guard/leak-secrets.ts";
import { wordKey } from "../../guard/leak-words.ts";
import type { MinedTask } from "../../ports/mined-task.ts";

/**
 * A mined task as the leak guard sees it. A rubric says what the person wants in general, so it isn't secret but
 * exactly what to learn. The same goes for a correction's checks. Its only secrets are the names and numbers of this
 * one request, and never what the person typed to correct it.
 */
export function leakTask({ task, kind, evidence, stated = "" }: MinedTask): Task {
  const { checks = [], ...rest } = task;
  const general: Task = { ...rest, checks: checks.filter((check) => check.kind !== "rubric") };
  if (kind !== "correction") return general;
  const typed = ` ${wordKey([...evidence, stated].join("\n"))} `;
  const texts = [task.input, ...taskSecrets(general).map(({ text }) => text)];
  const values = new Set(texts.flatMap((text) => text.match(instance) ?? []));
  const answers = [...values].filter((value) => !typed.includes(` ${wordKey(value)} `));
  // text from the input normally isn't secret; here we treat it as secret anyway
  const input = answers.reduce((text, value) => text.replaceAll(value, " "), task.input);
  return { ...rest, input, checks: [], answers };
}

/** A ticket, a date, a number of four or more digits, or somebody's full name. */
const instance =
  /(?<![\p{L}\p{N}])(?:\p{Lu}{2,10}-\d{2,}|\d{4}-\d{2}-\d{2}|\d{4,}(?:[.,]\d+)*|\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?)(?![\p{L}\p{N}])|(?<=\S )\p{Lu}\p{Ll}{2,}\s\p{Lu}\p{Ll}{2,}(?![\p{L}])/gu;
