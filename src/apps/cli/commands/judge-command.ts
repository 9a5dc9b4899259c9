import { resolve } from "node:path";
import { type AgreedShare, leastKappa } from "../../../core/judge/agree.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { levelText } from "../../../core/shown-level.ts";
import { type JudgeAgreement, agreeWithJudge } from "../../../run/doctor/judge-agree.ts";
import { colors, flat, plural, table, wrap } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";
import { type RunFlags, readConfig } from "../read-config.ts";

/** `whetstone judge agree` */
export async function judgeAgreeCommand(
  { marks, ...flags }: RunFlags & { readonly marks: string },
  io: Io,
): Promise<void> {
  const config = await readConfig(flags, io);
  const found = await agreeWithJudge(config, {
    marks: resolve(io.cwd, marks),
    cwd: io.cwd,
    signal: io.signal,
  });
  if (flags.json) io.printJson(found);
  else io.print(agreementLines(found, io.columns).map(flat).join("\n"));
  if (found.verdict !== "disagrees") return;
  throw new WhetstoneError("judge-uncalibrated", `${found.model} doesn't mark answers as you do.`, {
    hint: "Read the answers above, then rewrite their rubrics so that a stranger could apply them, or choose another --judge.",
  });
}

const words: Readonly<Record<JudgeAgreement["verdict"], string>> = {
  agrees: colors.green("agrees"),
  disagrees: colors.red("disagrees"),
  open: colors.yellow("inconclusive"),
};

const nextSteps = {
  agrees: "set `calibration` to this file, so that every run tests the judge on it",
  open: "mark more answers: fifty show more than twenty",
} as const;

function agreementLines(found: JudgeAgreement, columns: number): readonly string[] {
  const { verdict, model, answers, good, bad, unusable, agreement, kappa, byChance } = found;
  const alike = good.agreed + bad.agreed;
  const marked = ({ answers: of, agreed }: typeof good) => `${agreed} of ${of}`;
  const shown = found.disagreements.slice(0, mostShown);
  const rest = found.disagreements.length - shown.length;
  const range = ({ low, high }: AgreedShare, spell: (value: number) => string) =>
    `${spell(low)} to ${spell(high)}`;
  return [
    `${colors.bold(words[verdict])}: ${model} marks ${alike} of ${plural(answers, "answer")} as you do, kappa ${spellKappa(kappa.value)}`,
    ...wrap(
      `Agreement ${whole(agreement.value)} (${levelText} interval ${range(agreement, whole)}). Chance alone would give ${whole(byChance)}. Kappa, which leaves chance out, is ${spellKappa(kappa.value)} (${range(kappa, spellKappa)}); it should be at least ${leastKappa}.`,
      columns,
      "  ",
    ),
    "",
    ...table([
      ["  you said", "the judge agrees"].map(colors.dim),
      ["  good", marked(good)],
      ["  bad", marked(bad)],
    ]),
    ...(unusable === 0 ? [] : [`  ${plural(unusable, "answer")} without a usable verdict`]),
    ...(shown.length === 0 ? [] : ["", "  Marked differently"]),
    ...shown.flatMap(({ row, task, person, judge, why }) =>
      wrap(
        `row ${row}, task ${task}: you said ${person}, the judge ${judge}${why === "" ? "" : `. ${why}`}`,
        columns,
        "    ",
      ),
    ),
    ...(rest === 0 ? [] : [`    and ${rest} more (see --json)`]),
    ...(found.unjudged.length === 0
      ? []
      : wrap(
          `Not asked: rows ${found.unjudged.join(", ")}, because their tasks don't have a rubric that the judge decides alone.`,
          columns,
          "  ",
        )),
    ...(verdict === "disagrees" ? [] : ["", `next: ${nextSteps[verdict]}`]),
  ];
}

const mostShown = 10;

const spellKappa = (value: number): string => value.toFixed(2).replace("-", "−");

const whole = (share: number): string => `${Math.round(100 * share)}%`;
