import { hashText } from "../../core/canonical.ts";

/** When a project's night begins if nobody says: always the same minute between 03:00 and 03:59, another for another project. */
export function nightlyTime(project: string): string {
  const minute = Number.parseInt(hashText(project).slice(0, 8), 16) % 60;
  return `03:${String(minute).padStart(2, "0")}`;
}

/** Whether it is a time of day as `HH:MM`. */
export const isTimeOfDay = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
