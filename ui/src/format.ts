import type { RunOverview } from "../../src/report/model.ts";

export { formatUsd } from "../../src/core/spend.ts";

/** As the command line prints them. */
export const percent = (score: number): string => `${(100 * score).toFixed(1)} %`;

/** `+3.2`, `−0.4`: points of a hundred, with the sign that a person reads. */
export const points = (difference: number): string => {
  const text = Math.abs(100 * difference).toFixed(1);
  return text === "0.0" ? "0.0" : `${difference < 0 ? "−" : "+"}${text}`;
};

/** `0:07`, `12:40`, `3:05:00`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export const count = (value: number): string => value.toLocaleString("en");

/** A day and a time of the reader's own clock. */
export const when = (at: number): string =>
  new Date(at).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });

export const shortId = (id: string): string => id.slice(0, 8);

/** A skill's name, or the beginning of its hash. */
export const nameOf = ({ skillName, skill }: Pick<RunOverview, "skillName" | "skill">): string =>
  skillName ?? shortId(skill);
