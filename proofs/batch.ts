import { startPostgres } from "../test/support/start-postgres.ts";
import { type BatchNight, type Stop, batchNight } from "./batch/nights.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "a night whose models are asked in batches, killed right after submissions, goes on with the same command, also in another folder with the same PostgreSQL journal: no request is paid twice, the bill and the proposals are those of a night that nobody killed, at half the price";

/** Options: `--seeds n`. */
export default async function proveBatch({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = Array.from({ length: numberOption(args, "seeds", short ? 1 : 3) }, (_, at) => at + 1);
  log(
    "`whetstone sleep run` in processes of their own; miner and optimizer by Anthropic's batches, target and judge by",
  );
  log("OpenAI's, both spoken by a scripted server over real sockets; a batch takes 0.3 s");
  const nights: { readonly killed: BatchNight; readonly problems: readonly string[] }[] = [];
  const postgres = await startPostgres({ durable: true });
  try {
    for (const seed of seeds) {
      const stops = stopsFor(short);
      // most of it is waiting
      const [peaceful, atHome, elsewhere] = await Promise.all([
        batchNight(seed, []),
        batchNight(seed, stops),
        batchNight(seed, stops, postgres.createDatabase()),
      ]);
      log("");
      log(`seed ${seed}: in peace ${describe(peaceful)}`);
      for (const [where, killed] of [
        ["in its folder", atHome],
        ["on PostgreSQL, each time in another folder with nothing but what nights remember", elsewhere],
      ] as const) {
        const problems = problemsOf(peaceful, killed);
        nights.push({ killed, problems });
        log(`  ${where}:`);
        tell(killed, (line) => log(`    ${line}`));
        for (const problem of problems) log(`    NOT: ${problem}`);
      }
    }
  } finally {
    await postgres.end();
  }
  const all = nights.map(({ killed }) => killed);
  const twice = all.map(({ asked }) => [...asked.values()].reduce((sum, times) => sum + times - 1, 0));
  return {
    ok: nights.every(({ problems }) => problems.length === 0),
    figures: {
      seeds,
      stops: all.map(({ stops }) => stops.length),
      batches: all.map(({ batches }) => batches.length),
      requests: all.map(({ asked }) => asked.size),
      paidTwice: twice,
      usd: all.map(({ booked }) => booked.nanoUsd / 1e9),
      plainUsd: all.map(({ price }) => price.plain / 1e9),
      proposals: all.map(({ proposals }) => proposals),
      problems: nights.flatMap(({ problems }) => problems),
    },
  };
}

function tell(killed: BatchNight, log: (line: string) => void): void {
  for (const { stop, batch, said } of killed.stops) {
    const when = stop.afterMs === 0 ? "before it heard that" : `${stop.afterMs} ms after`;
    log(
      `${stop.signal} ${when} ${batch.id} (${batch.keys.length} requests) was taken${said === "" ? "" : `: ${said}`}`,
    );
  }
  log(`stopped ${killed.stops.length} times: ${describe(killed)}`);
  const { batch, plain } = killed.price;
  log(`price: ${formatUsd(batch)} in batches, ${formatUsd(plain)} for the same calls one by one`);
}

/** The short form kills over one batch of each provider, over one whose id is known, and interrupts once. */
function stopsFor(short: boolean): readonly Stop[] {
  const first = (protocol: string): Stop["at"] => {
    return (batches) => batches.at(-1)?.protocol === protocol;
  };
  const nth =
    (number: number): Stop["at"] =>
    (batches) =>
      batches.length >= number;
  const some: readonly Stop[] = [
    { at: first("anthropic"), afterMs: 0, signal: "SIGKILL" },
    { at: first("openai"), afterMs: 0, signal: "SIGKILL" },
    { at: nth(4), afterMs: 150, signal: "SIGKILL" },
    { at: nth(5), afterMs: 150, signal: "SIGINT" },
  ];
  if (short) return some;
  // then over every batch there is
  const rest = Array.from({ length: 40 }, (_, at): Stop => {
    return { at: nth(6 + at), afterMs: at % 2 === 0 ? 0 : 150, signal: "SIGKILL" };
  });
  return [...some, ...rest];
}

function problemsOf(peaceful: BatchNight, killed: BatchNight): readonly string[] {
  const last = killed.ends.at(-1);
  const interrupted = killed.stops.find(({ stop }) => stop.signal === "SIGINT");
  const end = killed.ends[killed.stops.findIndex(({ stop }) => stop.signal === "SIGINT")];
  const conditions: Readonly<Record<string, boolean>> = {
    "the night in peace ends well": peaceful.ends[0]?.code === 0,
    [`the same command ends it: ${last?.printed.slice(-300) ?? ""}`]: last?.code === 0,
    "both providers' batches were killed over": killed.stops.length >= 4,
    "no request is run twice": [...killed.asked.values()].every((times) => times === 1),
    "it asks what the night in peace asks": sameKeys(peaceful.asked, killed.asked),
    "it books what the night in peace books":
      JSON.stringify(killed.booked) === JSON.stringify(peaceful.booked),
    "no call is booked as lost": killed.lost === 0,
    "it books what the provider ran, and no more":
      killed.booked.calls === killed.asked.size && killed.booked.nanoUsd === killed.price.batch,
    "it pays half, but for what is rounded up":
      killed.price.batch >= killed.price.plain / 2 &&
      killed.price.batch <= killed.price.plain / 2 + killed.asked.size,
    "its proposals are those of the night in peace": killed.decisions === peaceful.decisions,
    "of which there are some": peaceful.proposals > 0,
    "an interrupt ends it within seconds, with 130": end?.code === 130,
    "and says that the batch goes on": interrupted?.said.includes(interrupted.batch.id) === true,
  };
  return Object.keys(conditions).filter((name) => conditions[name] !== true);
}

const sameKeys = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean =>
  a.size === b.size && [...a.keys()].every((key) => b.has(key));

const describe = ({ sentence, batches, asked, booked, proposals }: BatchNight): string =>
  `"${sentence}" ${proposals} proposals; ${batches.length} batches, ${asked.size} requests, ${booked.calls} calls booked`;

const formatUsd = (nanoUsd: number): string => `$${(nanoUsd / 1e9).toPrecision(3)}`;
