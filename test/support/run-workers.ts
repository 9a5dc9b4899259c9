import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Runs a script, given by its path, once for each list of arguments, side by side, and gives the JSON lines that each prints. */
export function runWorkers<Line>(
  script: string,
  argumentLists: readonly (readonly (string | number)[])[],
  onLine: (line: Line) => void = () => {},
): Promise<readonly (readonly Line[])[]> {
  return Promise.all(
    argumentLists.map(async (args) => {
      const child = spawn(process.execPath, [script, ...args.map(String)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      const lines: Line[] = [];
      for await (const text of createInterface({ input: child.stdout })) {
        const line = JSON.parse(text) as Line;
        lines.push(line);
        onLine(line);
      }
      const code = await ended;
      if (code !== 0) throw new Error(`${script} ${args.join(" ")} ended with ${code}`);
      return lines;
    }),
  );
}
