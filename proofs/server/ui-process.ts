import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface UiProcess {
  readonly port: number;
  readonly token: string;
  readonly url: string;
  /** Ctrl-C: the exit code, what it printed after its address, and how long it took. */
  interrupt(): Promise<{ readonly code: number | null; readonly errors: string; readonly ms: number }>;
}

const cli = join(import.meta.dirname, "../../test/support/person-cli.ts");

/** `whetstone ui --no-open`, as a person starts it. */
export async function startUi(journalDir: string, cwd = journalDir): Promise<UiProcess> {
  const args = [cli, "ui", "--no-open", "--journal", journalDir];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const closed = once(child, "close");
  const url = await new Promise<string>((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /^(http:\S+)\n/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    void closed.then(() => reject(new Error(`whetstone ui ended: ${printed}${errors}`)));
  });
  const { port, searchParams } = new URL(url);
  return {
    url,
    port: Number(port),
    token: searchParams.get("token") ?? "",
    async interrupt() {
      const started = performance.now();
      child.kill("SIGINT");
      const [code] = (await closed) as [number | null];
      return { code, errors, ms: Math.round(performance.now() - started) };
    },
  };
}
