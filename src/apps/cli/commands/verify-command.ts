import { WhetstoneError } from "../../../core/errors.ts";
import type { Json } from "../../../core/json.ts";
import { oneLine } from "../../../core/one-line.ts";
import type { ProjectOptions } from "../../../run/project-options.ts";
import { isReportFile, verify } from "../../../run/reports/verify.ts";
import type { Io } from "../../../show/io.ts";
import { plural, colors } from "../../../show/format.ts";

export interface VerifyFlags {
  readonly of: string;
  readonly json: boolean;
  /** Only called for a run, because people who just have the file don't have the journal. */
  readonly project: () => Promise<ProjectOptions>;
}

/** `whetstone verify <run | file>` */
export async function verifyCommand({ of, json, project }: VerifyFlags, io: Io): Promise<void> {
  const found = await verify({ of, ...(isReportFile(of) ? { cwd: io.cwd } : await project()) });
  const { run, sentence, asStated, isOwnPage, changed, figures, hosts, holds } = found;
  if (json) io.printJson(found);
  else {
    if (holds)
      io.print(
        `${colors.green("The arithmetic holds.")} ${plural(figures, "figure")} follow from the results.\n`,
      );
    io.print(`run ${oneLine(run)}\n  ${oneLine(sentence)}`);
    if (asStated !== undefined) io.print(`  as stated, not recomputed: ${oneLine(asStated)}`);
    if (isOwnPage === false)
      io.print(
        `${colors.yellow("note")}  The page isn't the one that this version writes, so it may show other figures. Rely on what is printed here.`,
      );
    for (const { figure, stated, recomputed } of changed.slice(0, mostShown))
      io.print(
        `${colors.red("changed")}  ${oneLine(figure)}: stated ${shown(stated)}, recomputed ${shown(recomputed)}`,
      );
    if (changed.length > mostShown) io.print(`and ${changed.length - mostShown} more`);
    io.print(`\n${limits(hosts)}`);
  }
  if (!holds)
    throw new WhetstoneError(
      "figures-changed",
      `${plural(changed.length, "figure")} of ${figures} ${changed.length === 1 ? "doesn't" : "don't"} follow from the results.`,
      { hint: "Don't rely on it. Ask for the run's journal, or run the same command again." },
    );
}

const mostShown = 40;

const shown = (value: Json | undefined): string => {
  if (value === undefined) return "nothing";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return oneLine(JSON.stringify(value), 80);
};

/** Printed every time, because a correct sum proves nothing about its terms. */
const limits = (hosts: readonly string[]): string => {
  const named = hosts.length === 0 ? "no host" : oneLine(hosts.join(", "), 120);
  return [
    "Shows: the verdict and the figures next to it follow from the results.",
    `Doesn't show: that a model was called (the results name ${named}), or that nobody made the results up.`,
    "It can't detect somebody who changes results and recomputes every figure. Only the file's signer vouches for that.",
  ].join("\n");
};
