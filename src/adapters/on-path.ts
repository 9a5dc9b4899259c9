import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** The program with that name in the first PATH folder that has it. */
export const onPath = (name: string, env: Env): string | undefined =>
  placesOnPath(name, env, process.platform).find(isExecutable);

/** The places a system looks for a program, in order: on Windows with each extension in every folder. */
export function placesOnPath(name: string, env: Env, platform: NodeJS.Platform): readonly string[] {
  const path = platform === "win32" ? win32 : posix;
  const endings = platform === "win32" ? [...(env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";"), ""] : [""];
  return (env["PATH"] ?? env["Path"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => path.join(folder, name + ending)));
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
