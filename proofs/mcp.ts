import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { type HiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { learnableWorld } from "../test/support/learnable-world.ts";
import { scriptedModels, scriptedPrices } from "../test/support/scripted-config.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { claudeScene } from "./mcp/claude-scene.ts";
import { hostileArguments } from "./mcp/hostile-arguments.ts";
import { type Answer, openClient } from "./mcp/open-client.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { runCli } from "./support/run-cli.ts";

export const claim =
  "The SDK's own client trains through `whetstone mcp` under a cap that a person confirmed. It adopts what a person confirmed and nothing else, and leaves a resumable run when it cancels. Hostile arguments are refused. The real Claude Code finds the server, and adopts nothing without a person (full form).";

/** Options: `--seed n`. */
export default async function proveMcp({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 4);
  // of the calls of the first training; later ones find a part of theirs in the journal
  const cancels = short ? [0.4] : [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
  log(`seed ${seed}; \`whetstone mcp\` in its own process, used by the client of @modelcontextprotocol/sdk`);
  log("Not covered: no model decides what to call, the person behind the client is a script,");
  log("and real clients decide how to show the question.");
  using home = temporaryDirectory("mcp");
  const world = learnableWorld(seed);
  await using server = await startScriptedServer({
    seed,
    world,
    latency: { kind: "uniform", minMs: 5, maxMs: 25 },
    record: false,
  });
  const project = layOut(home.path, world, server.url);
  const place = { cwd: project, env: { ...personEnv(home.path) } };
  const results: [name: string, ok: boolean][] = [];
  const show = (name: string, ok: boolean, detail = ""): void => {
    results.push([name, ok]);
    log(`${ok ? "ok " : "NOT"} ${name}${ok || detail === "" ? "" : `: ${detail}`}`);
  };
  const refused = (answer: Answer, code: string) =>
    answer.isError && answer.text.startsWith(`error ${code}:`);
  const read = (path: string) => readFileSync(join(project, path), "utf8");
  const original = read("one/SKILL.md");

  let says: boolean | "decline" = true;
  let meanwhile = () => {};
  const person = () => {
    meanwhile();
    return says;
  };
  await using agent = await openClient({ ...place, person });
  await using mute = await openClient(place);

  // nobody has allowed the folder's code
  const before = await agent.call("plan", { skill: "one/SKILL.md" });
  show("plan before `whetstone trust`: refused", refused(before, "not-consented"), before.text);
  const { code: trusted, printed: told } = await runCli(["trust", "--yes"], place);
  show("whetstone trust", trusted === 0, told);
  const planned = await agent.call("plan", { skill: "one/SKILL.md" });
  show("plan", !planned.isError && planned.data["free"] === false, planned.text);

  // what nobody confirmed is not bought
  const uncapped = await mute.call("train", { skill: "one/SKILL.md" });
  show("train without a cap: refused", refused(uncapped, "usage"), uncapped.text);
  const capped = { skill: "one/SKILL.md", cap: { usd: 5 } };
  const unasked = await mute.call("train", capped);
  show("train by a client that can't ask: refused", refused(unasked, "not-confirmed"), unasked.text);
  says = "decline";
  const declined = await agent.call("train", capped);
  show("train, declined: refused", refused(declined, "not-confirmed"), declined.text);
  show("no call was made", server.callCount === 0);

  // trains
  says = true;
  const heard: string[] = [];
  const trained = await agent.call("train", capped, { onProgress: (message) => heard.push(message) });
  const run = String(trained.data["run"]);
  const callsOfOne = server.callCount;
  show("train, confirmed: better", trained.data["verdict"] === "better", trained.text);
  show("its progress was reported", heard.length > 0);
  show("nothing live has changed", read("one/SKILL.md") === original);
  const waiting = await agent.call("proposals");
  show("proposals has it", waiting.text.includes(run), waiting.text);
  const changed = await agent.call("diff", { run });
  show("diff", changed.data["proven"] === true && changed.text.includes("@@"), changed.text);

  if (!short) {
    const { isConnected, answers } = await claudeScene(home.path, project, [
      { name: "proposals", arguments: {} },
      { name: "adopt", arguments: { run } },
    ]);
    const [proposals = "", unheard = ""] = answers;
    show("the real Claude Code finds the server healthy", isConnected);
    show("its model gets the proposal", proposals.includes(run), proposals);
    show(
      "and can't adopt it with nobody there to ask",
      unheard.includes("not-confirmed") && read("one/SKILL.md") === original,
      unheard,
    );
  }

  // adopts once the person says so
  const kept = (answer: Answer, code: string, text = original) =>
    refused(answer, code) && read("one/SKILL.md") === text;
  says = false;
  const unticked = await agent.call("adopt", { run });
  show("adopt, box not ticked: refused, file untouched", kept(unticked, "not-confirmed"), unticked.text);
  says = "decline";
  const turned = await agent.call("adopt", { run });
  show("adopt, declined: refused, file untouched", kept(turned, "not-confirmed"), turned.text);
  const silent = await mute.call("adopt", { run });
  show(
    "adopt by a client that can't ask: refused, file untouched",
    kept(silent, "not-confirmed"),
    silent.text,
  );
  show("it names the command", silent.text.includes(`whetstone adopt ${run}`), silent.text);
  says = true;
  const mine = `${original}\nMine.\n`;
  meanwhile = () => writeFileSync(join(project, "one/SKILL.md"), mine);
  const late = await agent.call("adopt", { run });
  show(
    "adopt, file changed while the person read: refused, their file kept",
    kept(late, "live-changed", mine),
    late.text,
  );
  meanwhile = () => {};
  writeFileSync(join(project, "one/SKILL.md"), original);
  const adopted = await agent.call("adopt", { run });
  const best = readFileSync(join(project, ".whetstone/runs", run, "best_skill.md"), "utf8");
  const isThere = adopted.data["outcome"] === "adopted" && best !== original;
  show("adopt, confirmed: the file is as proposed", isThere && read("one/SKILL.md") === best, adopted.text);
  show("the person saw the change", agent.asked.at(-1)?.includes("@@") === true, agent.asked.at(-1));

  // hostile arguments
  const [askedSoFar, calledSoFar] = [agent.asked.length, server.callCount];
  let refusals = 0;
  for (const [name, tool, given, code] of hostileArguments) {
    const answer = await agent.call(tool, given);
    if (refused(answer, code) && answer.text.length < 1000) refusals += 1;
    else show(name, false, answer.text.slice(0, 500));
  }
  show(
    `${refusals} of ${hostileArguments.length} hostile arguments refused`,
    refusals === hostileArguments.length,
  );
  const isQuiet = agent.asked.length === askedSoFar && server.callCount === calledSoFar;
  show("nobody was asked, no call was made, no file was touched", isQuiet && read("one/SKILL.md") === best);

  // cancelled, and resumed by the command line
  for (const [at, share] of cancels.entries()) {
    const skill = `two-${at}/SKILL.md`;
    const called = server.callCount;
    const stop = new AbortController();
    const watch = setInterval(() => {
      if (server.callCount - called >= share * callsOfOne) stop.abort();
    }, 5);
    const given = { ...capped, skill };
    const ending = agent.call("train", given, { signal: stop.signal, onProgress: () => {} });
    const second = await agent.call("train", given);
    const ended = await ending;
    clearInterval(watch);
    show(`cancelled after ${Math.round(100 * share)}% of the calls`, ended.isError);
    show("a second training at the same time: refused", refused(second, "run-locked"), second.text);
    let status = await agent.call("status");
    for (; status.data["training"] === true; status = await agent.call("status")) await sleep(50);
    const [latest] = status.data["runs"] as readonly { readonly status: string }[];
    show("its run is stopped", latest?.status === "stopped", status.text);
    const bought = server.callCount - called;
    const { code, printed } = await runCli(["train", skill, "--spend-usd", "5"], place);
    const isResumed = /resuming with \d+ saved results/.test(printed) && /^ +next +whetstone/m.test(printed);
    show("the command line resumes it", code === 0 && isResumed, printed.slice(-800));
    log(`    ${bought} calls before the cancel, ${server.callCount - called} in all`);
  }
  const problems = [...agent.problems, ...mute.problems];
  show("only protocol messages on standard output, all printable", problems.length === 0, problems[0]);
  const failed = results.filter(([, ok]) => !ok).length;
  return {
    ok: failed === 0,
    figures: { seed, shown: results.length - failed, failed, hostile: refusals, cancels: cancels.length },
  };
}

/** A config in code that prints, several skills, and a link that leads out. */
function layOut(home: string, world: HiddenRuleWorld, url: string): string {
  const project = join(home, "project");
  const write = (name: string, text: string) => {
    mkdirSync(join(project, name, ".."), { recursive: true });
    writeFileSync(join(project, name), text);
  };
  for (const [name, tasks] of Object.entries(world.splits({ train: 10, val: 14, test: 14 })))
    write(`tasks/${name}.json`, JSON.stringify(tasks));
  write("one/SKILL.md", world.seedSkill(2));
  for (let at = 0; at < 6; at += 1) write(`two-${at}/SKILL.md`, `${world.seedSkill(2)}\nOffice ${at + 2}.\n`);
  const config = {
    ...scriptedModels,
    tasks: "./tasks",
    providers: { scripted: { baseURL: `${url}/v1` } },
    prices: scriptedPrices,
    epochs: 2,
    batchSize: 10,
  };
  write(
    "whetstone.config.mjs",
    `console.log("a config that talks");\nexport default ${JSON.stringify(config, null, 2)};\n`,
  );
  mkdirSync(join(home, "elsewhere"));
  writeFileSync(join(home, "elsewhere/SKILL.md"), "Not of this project.\n");
  symlinkSync(join(home, "elsewhere"), join(project, "link"));
  return project;
}

const personEnv = (home: string): Readonly<Record<string, string>> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  NO_COLOR: "1",
});
