import { relative, resolve } from "node:path";
import { plural, table, wrap, colors } from "../../../show/format.ts";
import type { ImportFormat, NotUnderstood } from "../../../adapters/importers/imported.ts";
import { listIds } from "../../../core/verdict-words.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { importAndWrite, type ImportedAndWritten } from "../../../run/import-tasks.ts";
import type { Io } from "../../../show/io.ts";

export interface ImportFlags {
  readonly format?: ImportFormat;
  readonly drop?: readonly string[];
  readonly out?: string;
  readonly force: boolean;
  readonly json: boolean;
}

/** `whetstone import <path>` */
export async function importCommand(
  path: string,
  { json, out, ...flags }: ImportFlags,
  io: Io,
): Promise<void> {
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  const imported = await importAndWrite(resolve(io.cwd, path), { ...flags, out: file });
  if (json) io.printJson(imported);
  else io.print(importedLines(imported, path, io).join("\n"));
  const { tasks, invalid, notUnderstood } = imported;
  const lost = notUnderstood.filter(({ effect }) => effect === "invalid").map(({ where }) => where);
  if (lost.length === 0) return;
  const all = tasks.length === invalid.length;
  const sentence = all ? "None of the tasks can be scored." : `Not usable: ${listIds([...new Set(lost)])}.`;
  throw new WhetstoneError("tasks-invalid", sentence, {
    hint: `Fix the problems listed above, or leave out asserts by type: --drop <assert>.${all ? "" : " With --skip-invalid, a run goes on without these tasks."}`,
  });
}

function importedLines(imported: ImportedAndWritten, path: string, io: Io): readonly string[] {
  const { tasks, invalid, format, splits, understood, notUnderstood, written } = imported;
  const fine = tasks.length - invalid.length;
  const verdict = `${plural(fine, "task")} understood${invalid.length === 0 ? "" : `, ${invalid.length} not`}`;
  const kind = `${formatWords[format]}${splits === undefined ? "" : ", already split"}`;
  const unread = notUnderstood.filter(({ effect }) => effect === "invalid");
  const ignored = notUnderstood.filter(({ effect }) => effect === "ignored");
  return [
    colors.bold(verdict),
    colors.dim(`  ${kind}: ${path}`),
    ...section(
      "Understood",
      understood.map((line) => [`  ${line}`]),
    ),
    ...section("Not understood: these can't be scored", grouped(unread)),
    ...(unread.length === 0 || fine === 0
      ? []
      : wrap("`train` refuses them by name; --skip-invalid leaves them out.", io.columns, "  ").map(
          colors.yellow,
        )),
    ...section("Ignored: the tasks work without it", grouped(ignored)),
    ...(written.length === 0
      ? []
      : ["", `Written: ${written.map((file) => relative(io.cwd, file)).join(", ")}`]),
  ];
}

const formatWords: Readonly<Record<ImportFormat, string>> = {
  whetstone: "whetstone's own rows",
  "evals-json": "a skill's evals.json",
  trigger: "a trigger set",
  promptfoo: "promptfoo",
  csv: "a table",
  "openai-evals": "OpenAI evals",
  "plugin-eval": "a suite of `claude plugin eval`",
  skillopt: "SkillOpt rows",
};

const section = (title: string, rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length === 0 ? [] : ["", title, ...table(rows)];

/** A problem that many tasks share takes one line. */
function grouped(found: readonly NotUnderstood[]): readonly (readonly string[])[] {
  const places = new Map<string, string[]>();
  for (const { where, what } of found) places.set(what, [...(places.get(what) ?? []), where]);
  return [...places].map(([what, where]) => {
    const unique = [...new Set(where)];
    const more = unique.length > 3 ? ` and ${unique.length - 3} more` : "";
    return [`  ${unique.slice(0, 3).join(", ")}${more}`, what];
  });
}
