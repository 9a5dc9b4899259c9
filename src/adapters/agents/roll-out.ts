import type { AgentCall, AgentRequest, AgentRun } from "../../core/ports/agent.ts";
import type { EarlierTurn } from "../../core/tasks/task.ts";
import { earlierText } from "../../core/tasks/earlier-text.ts";
import { judgeRun } from "./judge-run.ts";
import type { OpenCli } from "./open-cli.ts";
import { type CliJob, type CliRun, runCli } from "./run-cli.ts";

/** One rollout of an agent that reports events. `until` also ends a program that stays after its work is done. */
export async function rollOut(
  open: OpenCli,
  request: AgentRequest,
  call: AgentCall,
  until: AbortSignal = call.signal,
): Promise<AgentRun> {
  const run = await runOnce(open, request, call, until);
  const { reading, facts } = run;
  return {
    ended: judgeRun(open.cli, run, request.limits),
    text: reading.text,
    toolCalls: reading.toolCalls,
    changed: run.changed,
    skills: { offered: reading.offered, loaded: reading.loaded },
    conversation: [{ role: "user", content: request.prompt }, ...reading.conversation],
    usage: facts.usage,
    calls: facts.calls,
    heldMs: Math.round(facts.heldMs),
    ...(facts.calls === 0 ? {} : { host: facts.host }),
    ...(facts.removed.length === 0 ? {} : { removed: facts.removed }),
  };
}

const goingOn = ({ resumes }: OpenCli["cli"], prompt: string, before: readonly EarlierTurn[]) => {
  if (before.length === 0) return { prompt };
  return resumes === true
    ? { prompt, before }
    : { prompt: `Our conversation so far:\n\n${earlierText(before)}\n\nThe person: ${prompt}` };
};

/** The run itself, before it is judged. */
export async function runOnce(
  open: OpenCli,
  { prompt, before = [], files, checkout, skills, instructions, limits, untilSkill = false }: AgentRequest,
  { key, signal, meter }: AgentCall,
  until: AbortSignal = signal,
): Promise<CliRun> {
  const task: CliJob["task"] = {
    ...goingOn(open.cli, prompt, before),
    skills,
    toolless: false,
    turns: limits.turns,
    instructions,
  };
  const content = { files, checkout };
  const run = await runCli(open, { task, content, limits, meter, key, signal: until, untilSkill });
  if (run.stopped === undefined && run.facts.stopped === undefined) signal.throwIfAborted();
  return run;
}
