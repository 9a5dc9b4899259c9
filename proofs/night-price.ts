import { type PricedNight, historyOf, priceHistory } from "./night/priced-nights.ts";
import { fallsShort } from "../test/support/rate-bar.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "No night exceeds its cap, and the estimate printed before the first call holds in 90% of nights, with upper/lower ≤ 3, and ≤ 6 on a first night.";

const [leastHeld, widestWarm, widestCold] = [0.9, 3, 6];

export default async function proveNightPrice({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const histories = numberOption(args, "histories", short ? 5 : 30);
  // the constants of the estimate were chosen while looking at seeds 1 to 16
  const first = numberOption(args, "first", 101);
  const perHistory = numberOption(args, "nights", 4);
  log(
    `${histories} people's histories, seeds ${first} to ${first + histories - 1}, ${perHistory} nights each; they differ in`,
  );
  log("conversations per day, in how much models write, in noise, and in whether proposals are adopted;");
  log("the last night of each first meets a cap in calls and one in money that are too small");
  log("");
  log("seed night  talks tasks       calls (estimate)        money (estimate)");
  const nights: PricedNight[] = [];
  for (let seed = first; seed < first + histories; seed += 1) {
    const own = await priceHistory(historyOf(seed, perHistory));
    nights.push(...own);
    for (const night of own) log(line(night));
  }
  const share = (isHeld: (night: PricedNight) => boolean) =>
    Math.round((1000 * nights.filter(isHeld).length) / nights.length) / 1000;
  const [calls, money] = [share(holdsCalls), share(holdsMoney)];
  const cold = nights.filter(({ isCold }) => isCold);
  const warm = nights.filter(({ isCold }) => !isCold);
  const widestOf = (some: readonly PricedNight[]) =>
    Math.max(...some.flatMap(({ plan }) => [ratio(plan.calls), ratio(plan.nanoUsd)]));
  const problems = nights.flatMap((night) =>
    night.problems.map((one) => `seed ${night.seed}, night ${night.night}: ${one}`),
  );
  const tight = nights.flatMap((night) => night.capped.map((one) => one.share));
  log("");
  const percent = (part: number) => `${(100 * part).toFixed(1)}%`;
  log(
    `over ${nights.length} nights, the estimate holds in money in ${percent(money)} and in calls in ${percent(calls)};`,
  );
  log(`in both: ${count(warm)} with earlier nights, ${count(cold)} without any`);
  log(
    `widest estimate: ${widestOf(warm).toFixed(2)}, for a first night ${widestOf(cold).toFixed(2)}; under ${tight.length} caps that were too small, at most ${Math.max(...tight)} was spent`,
  );
  for (const problem of problems) log(`NOT: ${problem}`);
  return {
    ok:
      problems.length === 0 &&
      nights.length >= 20 &&
      !fallsShort(
        { hits: nights.filter(holdsCalls).length, trials: nights.length },
        { least: leastHeld },
        2,
      ) &&
      !fallsShort(
        { hits: nights.filter(holdsMoney).length, trials: nights.length },
        { least: leastHeld },
        2,
      ) &&
      widestOf(warm) <= widestWarm &&
      widestOf(cold) <= widestCold,
    figures: {
      seeds: `${first}-${first + histories - 1}`,
      nights: nights.length,
      held: { money, calls, both: share(holds) },
      heldWarm: `${warm.filter(holds).length}/${warm.length}`,
      heldCold: `${cold.filter(holds).length}/${cold.length}`,
      widest: Math.round(100 * widestOf(warm)) / 100,
      widestCold: Math.round(100 * widestOf(cold)) / 100,
      tightCaps: tight.length,
      mostOfACap: Math.max(...tight),
      problems: problems.length,
    },
  };
}

const within = (value: number, { low, high }: { readonly low: number; readonly high: number }): boolean =>
  low <= value && value <= high;

const holdsCalls = ({ plan, calls }: PricedNight): boolean => within(calls, plan.calls);

const holdsMoney = ({ plan, nanoUsd }: PricedNight): boolean => within(nanoUsd, plan.nanoUsd);

const holds = (night: PricedNight): boolean => holdsCalls(night) && holdsMoney(night);

const ratio = ({ low, high }: { readonly low: number; readonly high: number }): number =>
  high / Math.max(low, 1);

const count = (nights: readonly PricedNight[]): string =>
  `${nights.filter(holds).length} of ${nights.length}`;

function line(night: PricedNight): string {
  const { seed, conversations, tasks, calls, nanoUsd, plan, isCold } = night;
  const cents = (value: number) => (value / 1e7).toFixed(2);
  const cells = [
    String(seed).padStart(4),
    String(night.night).padStart(5),
    String(conversations).padStart(6),
    String(tasks).padStart(5),
    `${calls} (${plan.calls.low}–${plan.calls.high})`.padStart(22),
    `${cents(nanoUsd)} ¢ (${cents(plan.nanoUsd.low)}–${cents(plan.nanoUsd.high)})`.padStart(26),
  ];
  return `${cells.join(" ")}${isCold ? "  first" : ""}${holds(night) ? "" : "  OUTSIDE"}`;
}
