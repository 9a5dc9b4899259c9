import { basename, dirname, join } from "node:path";
import { nearestWord } from "../core/nearest-word.ts";
import { listProjectFolder } from "./project-file.ts";

/** `Did you mean <path>? ` if the folder of a mistyped path contains a similar name; else empty. */
export function meantPath(path: string): string {
  try {
    const names = listProjectFolder(dirname(path)).map(({ name }) => name);
    const near = nearestWord(basename(path), names);
    return near === undefined ? "" : `Did you mean ${join(dirname(path), near)}? `;
  } catch {
    return "";
  }
}
