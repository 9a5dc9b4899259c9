import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The program of that name in the first folder of PATH that has it. */
export function onPath(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const endings = [...(env["PATHEXT"] ?? "").split(";"), ""];
  return (env["PATH"] ?? env["Path"] ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
