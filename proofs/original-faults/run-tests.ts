import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

export interface FaultTest {
  readonly fault: number;
  readonly title: string;
  readonly file: string;
  readonly isPassed: boolean;
}

/** What of vitest's report is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const root = join(import.meta.dirname, "../..");
const named = /\bfault (\d+): /;

/** Runs the tests that are called `fault N: …`, and no others. */
export async function runFaultTests(): Promise<{
  readonly tests: readonly FaultTest[];
  readonly files: number;
  readonly seconds: number;
}> {
  using folder = temporaryDirectory("original-faults");
  const output = join(folder.path, "report.json");
  // the other files hold none, and reading them all would take longer than the tests
  const files = testFiles().filter((path) => named.test(readFileSync(path, "utf8")));
  const started = performance.now();
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = ["run", "-t", String.raw`\bfault \d+: `, "--reporter=json", `--outputFile=${output}`];
  const said = await runToEnd(process.execPath, [
    vitest,
    ...args,
    ...files.map((path) => relative(root, path)),
  ]);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const { testResults } = JSON.parse(readReport(output, said)) as Report;
  const unread = testResults.find(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  if (unread !== undefined) throw new Error(`${unread.name} could not be run: ${unread.message ?? ""}`);
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ title, status }): readonly FaultTest[] => {
      const fault = /^fault (\d+): /.exec(title)?.[1];
      if (fault === undefined) return [];
      return [{ fault: Number(fault), title, file: relative(root, name), isPassed: status === "passed" }];
    }),
  );
  return { tests, files: files.length, seconds };
}

const testFiles = (): readonly string[] =>
  ["src", "test", "ui"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(
        (file) =>
          file.isFile() && file.name.endsWith(".test.ts") && !file.parentPath.includes("node_modules"),
      )
      .map((file) => join(file.parentPath, file.name)),
  );

function runToEnd(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const listen = (chunk: Buffer) => {
    said += chunk.toString();
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // a test that fails is in the report
    child.once("close", () => resolve(said));
  });
}

function readReport(path: string, said: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new Error(`vitest wrote no report:\n${said.slice(-2000)}`);
  }
}
