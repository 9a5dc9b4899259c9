import { statSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { train } from "../../src/index.ts";
import type { Model } from "../../src/ports.ts";
import { type HiddenRuleWorld, hiddenRuleWorld } from "../../src/testing/index.ts";
import { scriptedConfig, scriptedModels } from "../../test/support/scripted-config.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../proof.ts";
import { startUi } from "../server/ui-process.ts";
import { openBrowser } from "../ui/browse.ts";
import { builtPage } from "../ui/built-page.ts";
import { type Opened, openAndScroll } from "./open-and-scroll.ts";

const [tasks, trials, stepsPerEpoch] = [2000, 5, 5] as const;
const mostMb = 20;

/** A training run of many rollouts, as the web app and its one file show it. */
export async function proveLargeRun({ args, short, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  await builtPage(log);
  using place = temporaryDirectory("large-run");
  const candidates = short ? stepsPerEpoch : 8 * stepsPerEpoch;
  const started = performance.now();
  const { id, folder, events } = await trainMuch(seed, candidates, place.path);
  const seconds = Math.round((performance.now() - started) / 1000);
  log(
    `${tasks} val tasks × ${candidates} candidates, ${trials} trials of each test task: ${events} events in ${seconds} s`,
  );
  const megabytes = (name: string) => Math.round(statSync(join(folder, name)).size / 1e4) / 100;
  const sizes = { jsonMb: megabytes("report.json"), htmlMb: megabytes("report.html") };
  log(`report.json ${sizes.jsonMb} MB, report.html ${sizes.htmlMb} MB`);

  const served = await openServed(place.path, id);
  log(`whetstone ui, cold: ${spell(served)}`);
  const file = await openOnce(pathToFileURL(join(folder, "report.html")).href, id);
  log(`report.html from disk: ${spell(file)}`);
  const ok =
    sizes.htmlMb <= mostMb &&
    [served, file].every(({ firstChartMs, longestFrameMs }) => firstChartMs < 1500 && longestFrameMs <= 100);
  const load = Math.round(10 * (loadavg()[0] ?? 0)) / 10;
  if (!ok)
    log(`the machine's load was ${load}: times are of the wall clock, and mean little on a busy machine`);
  return {
    ok,
    onlyLate: sizes.htmlMb <= mostMb,
    figures: { seed, candidates, events, ...sizes, served: { ...served }, file: { ...file }, load },
  };
}

async function trainMuch(seed: number, candidates: number, journal: string) {
  const world = hiddenRuleWorld({ seed });
  const sizes = { train: 200, val: tasks, test: 200 };
  const { target, optimizer } = scriptedModels;
  let events = 0;
  const run = await train({
    ...scriptedConfig("http://127.0.0.1:9", world.seedSkill(4), world.splits(sizes)),
    target: inProcess(target, world),
    optimizer: inProcess(optimizer, world),
    seed,
    trials,
    epochs: candidates / stepsPerEpoch,
    batchSize: sizes.train / stepsPerEpoch,
    journal,
    onEvent: () => (events += 1),
  });
  return { ...run, events };
}

/** A model that answers at once: of so many calls only what is done with them matters. */
const inProcess = (id: string, world: HiddenRuleWorld): Model => ({
  id,
  async generate({ system = "", messages, maxTokens }, { key }) {
    const request = {
      protocol: "openai-chat",
      model: id,
      key,
      system,
      messages,
      maxTokens,
      tools: [],
    } as const;
    const { text } = world.reply(request);
    return { text, finish: "stop", usage: { inputTokens: 300, outputTokens: 10 } };
  },
});

async function openServed(journal: string, run: string): Promise<Opened> {
  const ui = await startUi(journal);
  try {
    return await openOnce(ui.url, run);
  } finally {
    await ui.interrupt();
  }
}

async function openOnce(url: string, run: string): Promise<Opened> {
  const browser = await openBrowser();
  try {
    return await openAndScroll(browser, url, run);
  } finally {
    await browser.close();
  }
}

const spell = ({ firstChartMs, longestFrameMs, frames, rows }: Opened): string =>
  `first chart after ${firstChartMs} ms; ${frames} frames in 5 s of scrolling through ${rows} tasks, the longest ${longestFrameMs} ms`;
