import { existsSync, globSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { onTestFinished, vi } from "vitest";
import { builtLinks, sourceLinks } from "../../../test/support/docs/check-links.ts";
import { buildSite } from "../../../test/support/docs/build-site.ts";
import {
  docsVariables,
  openDocsOffice,
  serveDocs,
  splitWords,
  typeCommand,
} from "../../../test/support/docs/docs-office.ts";
import {
  type DocumentedCommand,
  inlineCommands,
  readCommands,
} from "../../../test/support/docs/read-commands.ts";
import { capturedIo } from "../../../test/support/captured-io.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { apiPages } from "../../../docs/.vitepress/pages/api-pages.ts";
import { configSchema } from "../../config/schema.ts";
import { errorEntries } from "../../core/error-entries.ts";
import { exitCodes } from "../../core/errors.ts";
import { createProgram } from "./program.ts";

const root = join(import.meta.dirname, "../../..");

/** Commands of the docs that a proof or another test runs, because they need more than a folder and a scripted model. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^whetstone demo/, "demo"],
  [/^whetstone ui|--format html/, "ui"],
  [/^whetstone (?:worker|fleet)|--executor bullmq/, "fleet-kill"],
  [/^whetstone sleep schedule/, "schedule"],
  [/^whetstone sleep /, "night"],
  [/(?:claude-code|codex)\//, "skill-folder"],
  [/^whetstone eval \.\/plugin/, "plugin-eval"],
  [/^whetstone pr /, "action"],
  [/^whetstone plugin /, "plugins"],
  [/whetstone mcp$/, "mcp"],
  [/whetstone completion /, "src/apps/cli/completion/completion-script.test.ts"],
  [/^whetstone trust$/, "test/trust.test.ts"],
  [/^npm install -g whetstone/, "pack"],
];

longTest(
  "the site builds without dead links, every command in README and docs is run or marked, and every error code, setting and public name has its entry",
  async ({ log }) => {
    const faults: string[] = [];
    const building = buildSite();
    const { reasons, ...commands } = await runCommands(readCommands(), faults);
    const typed = [...readCommands(), ...inlineCommands()].filter(({ text }) =>
      text.startsWith("whetstone "),
    );
    for (const command of typed) faults.push(...unknownWords(command));
    const entries = checkEntries(faults);
    const site = await building;
    if (site.error !== undefined) faults.push(site.error);
    const links = {
      source: sourceLinks(faults),
      built: site.error === undefined ? builtLinks(site.folder, faults) : 0,
    };
    log(
      `site: ${site.pages} pages; ${links.built} links of them lead to a page and a heading that are there; ${links.source} in the sources`,
    );
    log(
      `commands: ${commands.run} run here, ${commands.elsewhere} run by a proof or another test, ${commands.marked} marked; ${typed.length} checked for their words`,
    );
    for (const [reason, count] of reasons) log(`  ${count} × ${reason}`);
    log(`entries: ${entries.codes} error codes, ${entries.settings} settings, ${entries.names} public names`);
    for (const fault of faults) log(`FAULT ${fault}`);
    log(
      "Left out: links to other sites; code blocks that are no shell; what a command prints. Models are scripted.",
    );
    return {
      ok: faults.length === 0,
      figures: {
        ...commands,
        ...entries,
        ...links,
        pages: site.pages,
        faults: faults.length,
      },
    };
  },
);

/** Each distinct line once, in the order of the pages, in one folder. */
async function runCommands(commands: readonly DocumentedCommand[], faults: string[]) {
  const server = await serveDocs();
  onTestFinished(() => server.close());
  for (const [name, value] of Object.entries(docsVariables(server.url))) vi.stubEnv(name, value);
  const cwd = await openDocsOffice();
  const home = process.cwd();
  process.chdir(cwd);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    process.chdir(home);
  });
  const proofs = new Set(readdirSync(join(root, "proofs")).map((file) => file.replace(/\.ts$/, "")));
  const reasons = new Map<string, number>();
  const count = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const done = new Set<string>();
  let [run, byProof, marked] = [0, 0, 0];
  for (const { page, line, text, mark } of commands) {
    if (done.has(text)) continue;
    // what one page marks, another may have typed
    if (mark === undefined) done.add(text);
    const proof = elsewhere.find(([pattern]) => pattern.test(text))?.[1];
    if (mark !== undefined) {
      marked += 1;
      count(mark);
    } else if (proof !== undefined) {
      byProof += 1;
      count(`run by ${proof}`);
      if (!proofs.has(proof) && !existsSync(join(root, proof)))
        faults.push(`${page}:${line}: there is no proof and no test ${proof}`);
    } else if (/^export [A-Z_]+=|^cd /.test(text)) {
      marked += 1;
      count("a variable or a folder that only you have");
    } else if (!text.startsWith("whetstone ")) {
      faults.push(
        `${page}:${line}: \`${text}\` is neither run nor marked; put <!-- not run: why --> above its block`,
      );
    } else {
      run += 1;
      const fault = await typeCommand(cwd, text);
      if (fault !== undefined) faults.push(`${page}:${line}: \`${text}\` ends with ${fault}`);
    }
  }
  return { run, elsewhere: byProof, marked, reasons };
}

/** Names of commands and flags that the program does not have. */
function unknownWords({ page, line, text }: DocumentedCommand): readonly string[] {
  const words = splitWords(text).slice(1);
  let command: Command = createProgram(capturedIo("/").io, "0");
  for (;;) {
    const inner = command.commands.find((one) => one.name() === words[0]);
    if (inner === undefined) break;
    command = inner;
    words.shift();
  }
  if (command.parent === null)
    return /^[a-z]+$/.test(words[0] ?? "") ? [`${page}:${line}: there is no command \`${text}\``] : [];
  const known = new Set(["--help", ...command.options.flatMap(({ long }) => long ?? [])]);
  const flags = words.flatMap((word) => /^--[\w-]+/.exec(word)?.[0] ?? []);
  return flags
    .filter((flag) => !known.has(flag))
    .map((flag) => `${page}:${line}: \`${text}\` has no flag ${flag}`);
}

function checkEntries(faults: string[]) {
  const page = (name: string) => readFileSync(join(root, "docs", name), "utf8");
  const codes = Object.keys(exitCodes);
  const source = globSync("src/**/*.ts", { cwd: root })
    .filter((path) => !/\.test\.ts$|core\/(?:errors|error-entries)\.ts$/.test(path))
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
  for (const code of codes) {
    if (!(code in errorEntries) || !page("errors.md").includes(`\n## ${code}\n`))
      faults.push(`${code} has no entry`);
    if (!source.includes(`"${code}"`)) faults.push(`nothing ends with ${code}`);
  }
  const settings = Object.keys(configSchema.shape).filter((key) => key !== "$schema");
  for (const key of settings)
    if (!page("config.md").includes(`| \`${key}\` |`)) faults.push(`the setting ${key} has no line`);
  const names = apiPages().flatMap(({ entry, exported, text }) => {
    for (const name of exported)
      if (!text.includes(`\n### ${name}\n`)) faults.push(`${name} of ${entry} has no entry`);
    return exported;
  });
  return { codes: codes.length, settings: settings.length, names: names.length };
}
