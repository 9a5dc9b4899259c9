import type { Redis } from "ioredis";
import { type Cost, noCost } from "../../core/cost.ts";
import type { SpendCaps } from "../../core/settings.ts";
import { type Spend, capError } from "../../core/work/spend.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { fleetKeys } from "./fleet-keys.ts";

/**
 * A run's budget, spent by many processes. Sums and reservations are in Redis and change in one step. A dead worker's
 * reservations are booked at worst case. The journal's ledger stays the truth, and `open` starts from it.
 */
export interface FleetBudget extends Spend {
  /** Changes with every booking. If read before the ledger, it tells `open` whether the ledger is still complete. */
  version(): Promise<string>;
  open(start: BudgetStart): Promise<void>;
  /** Resolves once every settlement of this process is booked. */
  flush(): Promise<void>;
  /** The state at this process's last settlement. */
  view(): BudgetView;
  /** Another process may have seen a later state. */
  hear(view: BudgetView): void;
}

export interface BudgetView {
  readonly version: number;
  /** The amount spent, and the most that calls in flight could still cost: zero once no calls are running. */
  readonly booked: Cost;
}

export const nothingBooked: BudgetView = { version: 0, booked: noCost };

export interface BudgetStart {
  readonly caps: SpendCaps;
  /** The amount the ledger says was booked. */
  readonly already: Cost;
  /** The version before the ledger was read. */
  readonly version: string;
}

const keepMs = 7 * 24 * 3_600_000;
const waitMs = 100;

/** `holder` is the id of the worker that makes the calls. Its reservations live as long as it does. */
export function fleetBudget(redis: Redis, run: string, holder: string, clock: Clock): FleetBudget {
  const keys = [fleetKeys.budget(run), fleetKeys.reserved(run)] as const;
  let seen = nothingBooked;
  let steps = 0;
  /** Settlements in progress, and failed ones that nobody has been notified of yet. */
  const bookings = new Set<Promise<unknown>>();
  const call = (script: string, ...values: (string | number)[]): Promise<unknown> => {
    // a command sent twice after a broken connection counts once
    steps += 1;
    return redis.eval(script, keys.length, ...keys, fleetKeys.worker(""), holder, steps, ...values);
  };
  const list = ({ nanoUsd, tokens, calls }: Cost) => [nanoUsd, tokens, calls] as const;
  const hear = (view: BudgetView) => {
    // messages can overtake each other
    if (view.version >= seen.version) seen = view;
  };

  return {
    spent: () => seen.booked,
    view: () => seen,
    hear,
    version: async () => (await redis.hget(keys[0], "version")) ?? "0",
    async open({ caps, already, version }) {
      const { usd, tokens, calls, minutes } = caps;
      const answer = await call(
        openScript,
        usd === undefined ? "" : Math.round(usd * 1e9),
        tokens ?? "",
        calls ?? "",
        minutes === undefined ? "" : minutes * 60_000,
        ...list(already),
        version,
        keepMs,
      );
      readView(answer);
    },
    async reserve(worst) {
      for (;;) {
        const [answer, ...rest] = (await call(reserveScript, ...list(worst))) as string[];
        if (answer === "yes") return;
        if (answer === "no") {
          const [cap = "", limit = "", nanoUsd = "0", calls = "0"] = rest;
          const spent = { nanoUsd: Number(nanoUsd), calls: Number(calls) };
          throw capError(cap, shownLimit(cap, Number(limit)), spent);
        }
        await clock.sleep(waitMs);
      }
    },
    settle(worst, actual) {
      const booked = call(settleScript, ...list(worst), ...list(actual)).then(readView);
      bookings.add(booked);
      // a failure is reported at the next flush, and not before
      booked.then(
        () => bookings.delete(booked),
        () => {},
      );
    },
    async flush() {
      const all = [...bookings];
      const ends = await Promise.allSettled(all);
      // a failure is reported once; that call's reservation stays until this worker is gone
      for (const one of all) bookings.delete(one);
      const failed = ends.find((end) => end.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };

  function readView(answer: unknown): void {
    const [version, nanoUsd, tokens, calls] = (answer as string[]).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    hear({ version, booked: { nanoUsd, tokens, calls } });
  }
}

const shownLimit = (cap: string, limit: number): number =>
  cap === "usd" ? limit / 1e9 : cap === "minutes" ? limit / 60_000 : limit;

const sums = `
local budget, reserved = KEYS[1], KEYS[2]
local alive, holder, step = ARGV[1], ARGV[2], tonumber(ARGV[3])
local units = { "usd", "tokens", "calls" }
local function get(key, field) return tonumber(redis.call("HGET", key, field) or "0") end
local function add(key, field, by)
  -- to Redis, a zero with a sign isn't an integer
  if by ~= 0 then redis.call("HINCRBY", key, field, string.format("%.0f", by)) end
end
local function nowMs()
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function isRepeated()
  if step <= get(reserved, holder .. " step") then return true end
  redis.call("HSET", reserved, holder .. " step", step)
  redis.call("HINCRBY", budget, "version", 1)
  return false
end
local function view()
  local seen = { redis.call("HGET", budget, "version") or "0" }
  for i, unit in ipairs(units) do
    seen[i + 1] = string.format("%.0f", get(budget, "spent " .. unit) + get(budget, "reserved " .. unit))
  end
  return seen
end
-- nobody will say what became of these calls: worst case
local function bookTheDead()
  local fields = redis.call("HGETALL", reserved)
  for i = 1, #fields, 2 do
    local who, unit = string.match(fields[i], "^(.*) (%a+)$")
    if redis.call("EXISTS", alive .. who) == 0 then
      redis.call("HDEL", reserved, fields[i])
      if unit ~= "step" then
        add(budget, "reserved " .. unit, -tonumber(fields[i + 1]))
        add(budget, "spent " .. unit, tonumber(fields[i + 1]))
      end
    end
  end
end
`;

const openScript = `${sums}
for i, cap in ipairs({ "usd", "tokens", "calls" }) do
  if ARGV[3 + i] == "" then redis.call("HDEL", budget, "cap " .. cap)
  else redis.call("HSET", budget, "cap " .. cap, ARGV[3 + i]) end
end
if ARGV[7] == "" then redis.call("HDEL", budget, "deadline", "cap minutes")
else redis.call("HSET", budget, "deadline", string.format("%.0f", nowMs() + tonumber(ARGV[7])), "cap minutes", ARGV[7]) end
bookTheDead()
local isQuiet = (redis.call("HGET", budget, "version") or "0") == ARGV[11]
for _, unit in ipairs(units) do
  if get(budget, "reserved " .. unit) ~= 0 then isQuiet = false end
end
for i, unit in ipairs(units) do
  local ledger = tonumber(ARGV[7 + i])
  if isQuiet then redis.call("HSET", budget, "spent " .. unit, ARGV[7 + i])
  else
    -- calls are in flight: never less than what the ledger holds
    local total = get(budget, "spent " .. unit) + get(budget, "reserved " .. unit)
    if total < ledger then add(budget, "spent " .. unit, ledger - total) end
  end
end
redis.call("PEXPIRE", budget, ARGV[12])
redis.call("PEXPIRE", reserved, ARGV[12])
return view()
`;

const reserveScript = `${sums}
local worst = { usd = tonumber(ARGV[4]), tokens = tonumber(ARGV[5]), calls = tonumber(ARGV[6]) }
local function exceeded()
  for _, unit in ipairs(units) do
    local cap = redis.call("HGET", budget, "cap " .. unit)
    local total = get(budget, "spent " .. unit) + get(budget, "reserved " .. unit) + worst[unit]
    if cap and total > tonumber(cap) then return unit end
  end
  local deadline = redis.call("HGET", budget, "deadline")
  if deadline and nowMs() > tonumber(deadline) then return "minutes" end
  return nil
end
if step <= get(reserved, holder .. " step") then return { "yes" } end
local cap = exceeded()
if cap then bookTheDead() cap = exceeded() end
if cap then
  if get(budget, "reserved calls") > 0 then return { "wait" } end
  return { "no", cap, redis.call("HGET", budget, "cap " .. cap),
    redis.call("HGET", budget, "spent usd") or "0", redis.call("HGET", budget, "spent calls") or "0" }
end
isRepeated()
for _, unit in ipairs(units) do
  add(budget, "reserved " .. unit, worst[unit])
  add(reserved, holder .. " " .. unit, worst[unit])
end
return { "yes" }
`;

const settleScript = `${sums}
if not isRepeated() then
  for i, unit in ipairs(units) do
    local worst, actual = tonumber(ARGV[3 + i]), tonumber(ARGV[6 + i])
    -- the rest was booked when this worker was considered dead
    local held = math.min(worst, get(reserved, holder .. " " .. unit))
    add(reserved, holder .. " " .. unit, -held)
    add(budget, "reserved " .. unit, -held)
    add(budget, "spent " .. unit, actual - (worst - held))
  end
end
return view()
`;
