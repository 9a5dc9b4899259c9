import { hashText } from "../../core/canonical.ts";

/** The default time of a project's night: a fixed minute between 03:00 and 03:59 that differs between projects. */
export function nightlyTime(project: string): string {
  const minute = Number.parseInt(hashText(project).slice(0, 8), 16) % 60;
  return `03:${String(minute).padStart(2, "0")}`;
}

/** Whether it's a time of day as `HH:MM`. */
export const isTimeOfDay = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
