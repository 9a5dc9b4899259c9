import { type Incident, incidents } from "./outage/incidents.ts";
import { type NightEnd, type Reference, nightsAsTheyShould, nightsWith } from "./outage/nights.ts";
import { expiredLogin } from "./outage/expired-login.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "A night that meets an outage, an expired login, an unknown model or a spend limit reports it in the provider's words and ends with its exit code. Nothing is staged and nothing is forgotten. The same command later finishes it with the same decisions.";

/** Options: `--seed n`, `--only word`. */
export default async function proveOutage({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const only = args[args.indexOf("--only") + 1] ?? "";
  const chosen = incidents
    .filter((incident) => !short || incident.isShort)
    .filter(({ name }) => !args.includes("--only") || name.includes(only));
  log(`seed ${seed}: \`whetstone sleep run\` in separate processes, real sockets, its own timings`);
  if (short) log("timeouts of minutes run on a faster clock");
  const reference = await nightsAsTheyShould(seed);
  log(
    `undisturbed: ${reference.calls.join(" and ")} calls; first night "${reference.sentences[0]}", second night "${reference.sentences[1]}"`,
  );
  log("");
  const broken: string[] = [];
  let again = 0;
  for (let at = 0; at < chosen.length; at += 3) {
    // most of it is waiting
    const some = chosen.slice(at, at + 3).map(async (incident) => ({
      incident,
      end: await nightsWith(incident, { seed, reference, isFast: short && incident.isSlow === true }),
    }));
    for (const { incident, end } of await Promise.all(some)) {
      again += end.same ? 1 : 0;
      const problems = problemsOf(incident, end, reference);
      broken.push(...problems.map((problem) => `${incident.name}: ${problem}`));
      log(`${incident.name}: exit ${end.code} after ${(end.ms / 1000).toFixed(1)} s and ${end.calls} calls`);
      log(`  ${end.said}`);
      log(`  again: exit ${end.againCode}, ${end.same ? "the same decisions" : "OTHER DECISIONS"}`);
      for (const problem of problems) log(`  NOT: ${problem}`);
    }
  }
  const login =
    args.includes("--only") && !"login".includes(only) ? undefined : await expiredLogin(seed, log);
  broken.push(...(login?.problems ?? []));
  return {
    ok: broken.length === 0,
    figures: {
      seed,
      incidents: chosen.map(({ name }) => name),
      sameDecisions: again,
      ...(login === undefined ? {} : { loginExit: login.code, loginCalls: login.calls }),
      broken,
    },
  };
}

function problemsOf(incident: Incident, end: NightEnd, { rules }: Reference): readonly string[] {
  const conditions: Readonly<Record<string, boolean>> = {
    [`it ends with ${incident.exit}`]: end.code === incident.exit,
    "it says so in the provider's words": incident.exit === 0 || incident.words.test(end.said),
    "it's one sentence, without a stack trace": !/^\s+at /m.test(end.printed),
    "the log has one more line, with the same words":
      end.logged === 1 && (incident.exit === 0 || incident.words.test(end.logLine)),
    "the state is byte for byte the same": incident.exit === 0 || end.sameState,
    "nothing is staged": incident.exit === 0 || end.staged === 0,
    "nothing live is changed": end.sameMemory,
    "the same command finishes it": end.againCode === 0,
    "with the same decisions": end.same,
    "and there are some": rules > 0,
  };
  return Object.keys(conditions).filter((name) => conditions[name] !== true);
}
