import { InfraError } from "../../core/errors.ts";
import type { AgentLimits, AgentRun, Meter } from "../../core/ports/agent.ts";
import type { Message, Model, Reply } from "../../core/ports/model.ts";
import { whetstoneMarker } from "../../core/rules/learned/marker.ts";
import { judgeRun } from "./judge-run.ts";
import type { OpenCli } from "./open-cli.ts";
import { runCli } from "./run-cli.ts";

/**
 * An agent CLI as a chat model: no tools, an empty workspace, one answer. This way a subscription can be optimizer,
 * judge and miner. The CLI chooses the temperature.
 */
export function cliModel(open: OpenCli): Model {
  const { cli, options } = open;
  return {
    id: `${cli.name}/${options.model}`,
    ownTokens,
    async generate({ system, messages, maxTokens }, { key, signal }) {
      const task = {
        // its home is thrown away; the marker is for a CLI that keeps its history elsewhere anyway
        prompt: `${whetstoneMarker}\n\n${writePrompt(messages)}`,
        toolless: true,
        skills: [],
        maxTokens,
        turns: 1,
        // without one, a CLI would use its own prompt, which is for programming
        system: system || "Answer the message.",
      };
      const job = { task, content: { files: {} }, limits, meter: noMeter, key, signal, untilSkill: false };
      const run = await runCli(open, job);
      if (run.stopped === undefined) signal.throwIfAborted();
      const ended = judgeRun(cli, run, limits);
      const finish = finishes[ended];
      if (finish === undefined) throw new InfraError("transport", `${cli.name} reached its ${ended} limit.`);
      return { text: run.reading.text, finish, usage: run.facts.usage, host: run.facts.host };
    },
  };
}

/** Allows one complete answer. If a model wants more, we notice but don't give it. */
const limits: AgentLimits = {
  turns: 1,
  calls: 1,
  tokens: Number.MAX_SAFE_INTEGER,
  seconds: 120,
  memoryMb: 4096,
  processes: 64,
  diskMb: 512,
};

/** Without tools the leanest adds nothing, and claude adds about 300. */
const ownTokens = 4000;

/** The caller books the one call. */
const noMeter: Meter = { begin: () => Promise.resolve({ end: () => Promise.resolve() }) };

/** Only `done` means a complete answer. Anything else is a problem of the machine, not an answer. */
const finishes: Readonly<Partial<Record<AgentRun["ended"], Reply["finish"]>>> = {
  done: "stop",
  length: "length",
  refused: "content-filter",
  turns: "other",
};

/** A CLI accepts one text, so earlier messages are shown inside it. */
function writePrompt(messages: readonly Message[]): string {
  const last = messages.at(-1);
  if (messages.length <= 1) return last?.content ?? "";
  const earlier = messages
    .slice(0, -1)
    .map(({ role, content }) => `<${role}>\n${content}\n</${role}>`)
    .join("\n");
  return `The conversation so far:\n\n${earlier}\n\nAnswer this message:\n\n${last?.content ?? ""}`;
}
