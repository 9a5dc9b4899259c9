import { join } from "node:path";
import { makeJournalFolder } from "../../adapters/journals/journal-folder.ts";
import type { Role } from "../../core/ports/model.ts";
import { writeTarget } from "../offer/live-target.ts";
import { proposalArtifacts } from "../offer/proposal.ts";
import { configArtifacts, priceCosts } from "../reports/artifacts.ts";
import { writeReport } from "../reports/write-report.ts";
import { keepSealed } from "../session/keep-sealed.ts";
import { type CallOptions, type Opened, type OpenOptions, openRun } from "../session/open-run.ts";
import { type RunOptions, runInSession } from "../session/run-in-session.ts";
import { leftOutOf, startEvent } from "../session/start-event.ts";
import { rehearseFirst } from "./plan.ts";
import { prepare, findUnknownPrices } from "./prepare.ts";
import type { Performed, Verb } from "./verb.ts";

/** The protocol of every run. Performing the same verb again resumes a stopped run, or returns the finished result. */
export async function perform<Result, Summary extends object>(
  verb: Verb<Result, Summary>,
  options: RunOptions,
): Promise<Performed<Result, Summary>> {
  const { resolved, id, isReported = true } = verb;
  const unpriced = findUnknownPrices(resolved, verb.roles);
  if (unpriced !== undefined) throw unpriced;
  const first = await rehearseFirst(verb, options.journal);
  const record = verb.folder ?? join(resolved.journalDir, "runs", id);
  const { out, exportDir = resolved.journalDir } = resolved;
  const folder = verb.folder ?? out ?? join(exportDir, "runs", id);
  const leavesFiles = isReported && options.artifacts !== false;
  if (leavesFiles && out === undefined) makeJournalFolder(exportDir);
  const place = { run: id, folders: [record, folder], resolved };
  const performed = await runInSession(place, options, async (session, write) => {
    const { context, finishedBefore } = session;
    // a finished run has already said it
    const provable = finishedBefore ? undefined : await verb.provable?.(options.journal);
    const start = startEvent(verb, folder, session);
    context.emit({ ...start, ...(provable === undefined ? {} : { provable }) });
    if (first.plan !== undefined) context.emit(first.plan);
    if (isReported) await write(configArtifacts(id, resolved, start.leftOut));
    const sealed = leavesFiles ? await keepSealed(id, resolved) : "";
    if (verb.proposes === true && leavesFiles) await writeTarget(id, resolved);
    await prepare(verb, context);
    const over = new AbortController();
    // runs in parallel with the work, never before it
    const running = verb.run(context, write).finally(() => over.abort());
    const tell = async () => {
      const forecast = await first.forecast(over.signal);
      if (forecast !== undefined && !over.signal.aborted) context.emit(forecast);
    };
    if (!finishedBefore) void tell();
    const result = await running;
    const costByRole = session.costByRole();
    const spent = await session.booked();
    const facts = { run: id, folder, costByRole, cost: priceCosts(costByRole), spent };
    const { sentence, summary: told, logged, artifacts, evidence, proposal } = await verb.tell(result, facts);
    const verdict =
      sealed !== "" && "sentence" in told ? { sentence: `${String(told.sentence)}${sealed}` } : {};
    const summary = { ...told, ...verdict, ...session.unusable(), ...leftOutOf(context) };
    if (isReported)
      await write({
        ...artifacts,
        "summary.json": `${JSON.stringify(summary, withoutTimes, 2)}\n`,
        ...(proposal === undefined ? {} : proposalArtifacts(proposal)),
      });
    if (evidence !== undefined) context.emit({ type: "evidence", evidence });
    context.emit({
      type: "run-end",
      status: "done",
      message: `${sentence}${sealed}`,
      summary: logged ?? summary,
      cost: spent,
    });
    const bought = priceCosts(session.boughtByRole());
    return { id, folder, summary, result, spent, bought, finishedBefore };
  });
  if (leavesFiles) await writeReport(options.journal, id, { record, folder });
  return performed;
}

/** Artifacts are the same for every execution of a run. Times aren't, so only events and the report keep them. */
const withoutTimes = (key: string, value: unknown): unknown => (key === "ms" ? undefined : value);

/**
 * A call from code: resolves its config, opens its journal, and performs the resulting verb.
 *
 * @example
 * const countTasks = (options: CallOptions) =>
 *   performCall(options, ["target"], ({ resolved }) => ({
 *     command: "my-count",
 *     roles: ["target"],
 *     resolved,
 *     id: runId("my-count", resolved),
 *     isFree: true,
 *     run: async () => resolved.splits.train.length,
 *     tell: (tasks: number) => ({ sentence: `There are ${tasks} train tasks.`, summary: { tasks } }),
 *   }));
 * console.log((await countTasks({ tasks: "./tasks.jsonl" })).summary.tasks);
 */
export const performCall = <Result, Summary extends object>(
  options: OpenOptions,
  roles: readonly Role[],
  verbOf: (opened: Opened) => Verb<Result, Summary> | Promise<Verb<Result, Summary>>,
): Promise<Performed<Result, Summary>> =>
  openRun(options, roles, async (opened) => {
    const { signal, onEvent }: CallOptions = options;
    return perform(await verbOf(opened), { journal: opened.journal, signal, onEvent });
  });
