import type { Rule } from "../../../core/sleep/rules/rule.ts";
import { listProposals } from "../proposals/proposals.ts";
import type { SleepState } from "../state.ts";

/** After an adoption: did the corrections that the rule answers become rarer? One sentence per adopted rule. */
export function measureAdopted(
  { rules, archive, nights }: SleepState,
  journalDir: string,
): readonly string[] {
  const adoptedOn = new Map(
    listProposals(journalDir)
      .filter(({ state }) => state === "adopted")
      .flatMap(({ night, taken = [] }) => taken.map(({ id }) => [id, night] as const)),
  );
  const talks = (isCounted: (night: string) => boolean) =>
    nights.filter(({ id }) => isCounted(id)).reduce((sum, { conversations }) => sum + conversations, 0);
  return rules
    .filter(({ status }) => status === "adopted")
    .flatMap((rule) => {
      const night = adoptedOn.get(rule.id);
      const answered = archive.filter(({ task }) => rule.provenance.tasks.includes(task.id));
      if (night === undefined || answered.length === 0) return [];
      const [before, since] = [talks((id) => id <= night), talks((id) => id > night)];
      if (since === 0) return [];
      const seen = (isCounted: (id: string) => boolean) =>
        answered.flatMap(({ outcomes }) => outcomes).filter((one) => isCounted(one.night)).length;
      const [earlier, later] = [seen((id) => id <= night), seen((id) => id > night)];
      return [
        `Since it was adopted, what "${head(rule)}" answers was asked again ${times(later)} in ${since} conversations, before ${times(earlier)} in ${before}.`,
      ];
    });
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

const head = ({ edit }: Rule): string => {
  const text = (edit.op === "delete" ? edit.target : edit.text).replaceAll(/\s+/g, " ").trim();
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
};
