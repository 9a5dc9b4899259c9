import { InfraError } from "../../core/errors.ts";
import type { AgentLimits, AgentRun } from "../../core/ports/agent.ts";
import { classifyError } from "../models/classify.ts";
import { readFailure } from "../models/failure.ts";
import { readRejection } from "../models/rejected-prompt.ts";
import type { ProxyFailure } from "../sandboxes/model-proxy.ts";
import type { AgentCli, CliFailure } from "./agent-cli.ts";
import type { CliRun } from "./run-cli.ts";

type JudgedCli = Pick<AgentCli, "name" | "login" | "packageName">;

/**
 * Decides how a run ended. Exit codes lie, so the events and the proxy's record decide. An outcome of the task is
 * returned; a spend cap or infrastructure failure is thrown.
 */
export function judgeRun(cli: JudgedCli, run: CliRun, limits: AgentLimits): AgentRun["ended"] {
  const { reading, facts, result, stopped } = run;
  if (facts.stopped !== undefined) throw facts.stopped;
  if (stopped === "skill") return "done";
  if (stopped === "time") return "time";
  // an incomplete answer counts, unless the provider withholds the rest
  const isCut = reading.ended === "length" || reading.ended === "refused";
  if (isCut && facts.failuresInRow === 0) return reading.ended;
  if (facts.limit === "calls") return limits.turns <= limits.calls ? "turns" : "calls";
  if (facts.limit !== undefined) return facts.limit;
  if (result.ended === "memory" || result.ended === "processes" || result.ended === "disk")
    return result.ended;
  if (reading.ended !== undefined && !isCut) return reading.ended;
  return rejectedPrompt(run) ?? fail(failureOf(cli, run));
}

function fail(error: Error): never {
  throw error;
}

/** A prompt that was filtered, or that the agent made too long, is the task's outcome. */
function rejectedPrompt({ facts }: CliRun): AgentRun["ended"] | undefined {
  const last = facts.failuresInRow > 0 ? facts.failures.at(-1) : undefined;
  if (last === undefined) return undefined;
  const rejection = readRejection(readFailure({ statusCode: last.status, message: last.message }));
  if (rejection === "filtered") return "refused";
  return rejection === "too-long" && facts.calls > 0 ? "length" : undefined;
}

function failureOf(cli: JudgedCli, run: CliRun): InfraError {
  const { reading, facts, result, stopped } = run;
  const seen = facts.failuresInRow > 0 ? facts.failures.at(-1) : undefined;
  if (seen !== undefined) return explain(cli, run, seen);
  if (stopped === "provider") return explain(cli, run, silence);
  if (reading.failure !== undefined) return explain(cli, run, classifySaid(reading.failure));
  const stderr = result.stderr.trim().slice(-500);
  const how = result.exitCode === null ? "was killed" : `ended with exit code ${result.exitCode}`;
  return explain(cli, run, classifySaid({ message: `It ${how} without a result. ${stderr}`.trim() }));
}

const silence = {
  class: "transport",
  status: undefined,
  message: "The provider didn't answer in time.",
} as const;

/** The CLI's own message, if no call failed. It may not have made any. */
function classifySaid({ message, status, isLasting = false }: CliFailure): ProxyFailure {
  if (isLasting) return { class: "refused", status, message };
  if (loggedOut.test(message)) return { class: "refused", status: 401, message };
  const { class: kind } = classifyError(
    status === undefined ? new Error(message) : { statusCode: status, message },
  );
  return { class: kind, status, message };
}

/** A refusal isn't retried, so a person must know what to do. */
function explain(cli: JudgedCli, { pays }: CliRun, failure: ProxyFailure): InfraError {
  const { class: kind, status, message, retryAfterMs } = failure;
  const sentence = message
    .replace(/\s+/g, " ")
    .slice(0, 500)
    .replace(/[.\s]*$/, "");
  const hint = kind === "refused" ? wayOut(cli, pays, failure) : undefined;
  return new InfraError(kind, `${cli.name}: ${sentence}.`, {
    // its calls are booked one by one, so nothing is left to book here
    billed: "no",
    status,
    retryAfterMs,
    hint,
  });
}

function wayOut(
  { login, packageName }: JudgedCli,
  pays: CliRun["pays"],
  { status, message }: ProxyFailure,
): string | undefined {
  if (tooOld.test(message)) return `Update it: npm install -g ${packageName}@latest`;
  if (status !== 401 && status !== 403 && !loggedOut.test(message)) return undefined;
  return pays === "key" ? `Check its API key, or log in: ${login}` : `Log in again: ${login}`;
}

const loggedOut =
  /not logged in|please run \/login|refresh_token_reused|refresh token (?:was|has been) already used|token[_ ](?:has )?expired|log ?in again|missing environment variable/i;
const tooOld = /(?:newer|later|more recent) version|upgrade to the latest|please (?:update|upgrade)/i;
