import type { RunOverview } from "../../src/report/model.ts";

export { formatUsd } from "../../src/core/work/spend.ts";
export { duration } from "../../src/report/format.ts";

/** As the command line prints it. */
export const percent = (score: number): string => `${(100 * score).toFixed(1)}%`;

/** `+3.2`, `−0.4`: points out of 100, with a real minus sign. */
export const points = (difference: number): string => {
  const text = Math.abs(100 * difference).toFixed(1);
  return text === "0.0" ? "0.0" : `${difference < 0 ? "−" : "+"}${text}`;
};

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export const count = (value: number): string => value.toLocaleString("en");

/** A date and time in the reader's time zone. */
export const when = (at: number): string =>
  new Date(at).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });

export const shortId = (id: string): string => id.slice(0, 8);

/** A skill's name, or the start of its hash. */
export const nameOf = ({ skillName, skill }: Pick<RunOverview, "skillName" | "skill">): string =>
  skillName ?? shortId(skill);

/** Starts with a capital letter and ends with a full stop. */
export const sentence = (text: string): string =>
  text === "" ? "" : `${capitalize(text)}${/[.!?]$/.test(text) ? "" : "."}`;

export const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** The end of a long path, which sets it apart from others: `…/office/SKILL.md`. */
export function shortPath(path: string, most = 36): string {
  const names = path.split(/[\\/]/);
  while (names.length > 1 && names.join("/").length > most) names.shift();
  const end = names.join("/");
  return end.length < path.length ? `…/${end}` : path;
}
