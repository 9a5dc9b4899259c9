import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "../test/support/project-state.ts";
import type { Summary } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";
import { killMidway, settleDeath } from "./skill-folder/kill-midway.ts";
import { countLoaded, readReports } from "./skill-folder/read-run.ts";
import { changedFiles, lookAtFolder } from "../test/support/look-at-folder.ts";
import { deskName, writeDesk } from "./support/parcel-desk.ts";
import { deskWorld } from "./support/parcel-desk-world.ts";
import { runCli } from "./support/run-cli.ts";
import { programsOnly } from "./support/sleep-command.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "`whetstone train`, killed once on the way, makes a skill folder with evals.json better for the real Claude Code. Anything that no edit named stays the same, bytes and modes.";

/** Options: `--seed n`. */
export default async function proveSkillFolder({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const split = short ? [8, 6, 12] : [12, 12, 14];
  const tasks = split.reduce((sum, count) => sum + count, 0);
  using place = temporaryDirectory("folder");
  const folder = place.path;
  const [out, journalDir] = [join(folder, "out"), projectState(folder)];
  const skill = writeDesk(folder, { tasks, judged: true, seed });
  const original = lookAtFolder(skill);
  await using server = await startScriptedServer({ seed, world: deskWorld({ seed }) });
  writeConfig(folder, server.url, split, short);
  const env = hostEnv(folder);
  const run = (command: string, onStart?: Parameters<typeof runCli>[2]) =>
    runCli([command], { cwd: folder, env }, onStart);
  log(`seed ${seed}: ${deskName}, ${original.size} files with evals.json, ${tasks} evals; every fifth`);
  log(
    "has a rubric sentence for the judge, all check a file; the target is the claude CLI in bubblewrap, and",
  );
  log("the models behind it, the optimizer and the judge are scripted on loopback");
  log("");

  const death = await killMidway(
    (onStart) => run("train", onStart),
    { server, journalDir, folder },
    short ? 60 : 300,
  );
  if (death === undefined) throw new Error("the training ended before it could be killed");
  log(`killed in the middle: ${death.kept.size} results kept, ${death.inFlight.size} units in flight`);
  const resumed = await run("train");
  for (const line of resumed.printed.trimEnd().split("\n")) log(`| ${line}`);
  if (resumed.code !== 0) throw new Error(`the resumed training ended with ${resumed.code}`);
  const bought = settleDeath(death, server);
  log("");
  log(
    `${bought.units} units in all; requested again: ${bought.repeated} of those in flight, ${bought.boughtTwice} others`,
  );
  const calls = server.callCount;
  const again = await run("train");
  const callsAgain = server.callCount - calls;
  log(`the finished command again: exit ${again.code}, ${callsAgain} calls`);

  const summary = JSON.parse(readFileSync(join(out, "summary.json"), "utf8")) as Summary;
  const { rollouts, loaded } = countLoaded(out, deskName);
  log(`${loaded} of ${rollouts} rollouts with the skill record that it was loaded`);
  const reports = readReports(out);
  const refused = reports.filter(({ applied }) => !applied);
  const named = new Set(reports.filter(({ applied }) => applied).map(({ file }) => file));
  const reasons = [...new Set(refused.map(({ status }) => status))];
  log(`${reports.length - refused.length} edits applied in ${[...named].join(" and ")}`);
  log(`${refused.length} refused: ${reasons.join(", ")}`);

  const adopted = await run("adopt");
  const live = lookAtFolder(skill);
  const changed = changedFiles(original, live);
  log(`adopted: ${changed.join(" and ")} changed, ${live.size - changed.length} other files unchanged`);
  const undone = await run("undo");
  const leftByUndo = changedFiles(original, lookAtFolder(skill));

  const conditions: Readonly<Record<string, boolean>> = {
    "the sealed test says better": summary.verdict === "better",
    "nothing outlived the kill": death.leftRunning === 0,
    "the kill found finished work": death.kept.size > 0,
    "nothing was bought twice": bought.boughtTwice === 0 && callsAgain === 0 && again.code === 0,
    "every rollout loaded the skill": rollouts > 0 && loaded === rollouts,
    "edits of frontmatter, script or asset were refused": reasons.some((reason) => forbidden.test(reason)),
    "adopt changed only what edits named":
      adopted.code === 0 && changed.length > 0 && changed.every((path) => named.has(path)),
    "the reference file changed": changed.some((path) => path !== "SKILL.md"),
    "the frontmatter is the same": frontmatterOf(live) === frontmatterOf(original),
    "undo restored everything": undone.code === 0 && leftByUndo.length === 0,
  };
  const broken = Object.keys(conditions).filter((name) => conditions[name] !== true);
  for (const name of broken) log(`NOT: ${name}`);
  return {
    ok: broken.length === 0,
    figures: {
      seed,
      split,
      verdict: summary.verdict,
      val: [summary.val.baseline, summary.val.best],
      test: [summary.test?.original ?? null, summary.test?.best ?? null],
      p: summary.claim?.p ?? null,
      steps: summary.steps,
      accepted: summary.accepted,
      rollouts,
      loaded,
      editsApplied: reports.length - refused.length,
      editsRefused: refused.length,
      filesChanged: [...changed],
      filesKept: live.size - changed.length,
      keptAtKill: death.kept.size,
      inFlightAtKill: death.inFlight.size,
      repeated: bought.repeated,
      boughtTwice: bought.boughtTwice,
      calls,
    },
  };
}

const forbidden = /refused_(?:frontmatter|script|binary)/;

function frontmatterOf(files: ReadonlyMap<string, string>): string {
  const text = Buffer.from(files.get("SKILL.md")?.split(" ")[1] ?? "", "base64").toString();
  return /^---\n[^]*?\n---(?=\n|$)/.exec(text)?.[0] ?? "";
}

function writeConfig(folder: string, url: string, ratio: readonly number[], short: boolean): void {
  const config = {
    skill: `./${deskName}`,
    tasks: `./${deskName}/evals/evals.json`,
    target: "claude-code/claude-sonnet-4-5",
    optimizer: "scripted/optimizer-1",
    agents: { "claude-code": { baseURL: `${url}/v1`, apiKeyEnv: "PROOF_KEY" } },
    providers: { scripted: { baseURL: `${url}/v1` } },
    prices: { "scripted/optimizer-1": { input: 2, output: 10 } },
    split: ratio,
    // so few tasks can't distinguish rules, and this is about folders and agents
    gate: "strict",
    epochs: short ? 1 : 2,
    batchSize: (ratio[0] ?? 0) / 2,
    editBudget: 6,
    schedule: "constant",
    trials: 1,
    baselines: !short,
    out: "out",
    spend: { usd: 50 },
  };
  writeFileSync(join(folder, "whetstone.config.json"), `${JSON.stringify(config, null, 2)}\n`);
}

function hostEnv(folder: string): Readonly<Record<string, string>> {
  const [home, temporary] = [join(folder, "home"), join(folder, "tmp")];
  for (const path of [home, temporary]) mkdirSync(path);
  return { ...programsOnly(), HOME: home, TMPDIR: temporary, PROOF_KEY: "sk-proof-of-the-host" };
}
