import { relative } from "node:path";

/** Paths as a person would write them from here. */
export const shownFrom =
  (cwd: string) =>
  (path: string): string => {
    const shorter = relative(cwd, path);
    return shorter.startsWith("..") ? path : shorter;
  };
