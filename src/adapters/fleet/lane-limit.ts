import type { Redis } from "ioredis";
import { InfraError } from "../../core/errors.ts";
import { climbRules } from "../executors/climb.ts";
import { nearCalls } from "../../core/ports/model.ts";
import { type LaneState, startLimit } from "../executors/lane.ts";
import { fleetKeys, queueKey } from "./fleet-keys.ts";

/**
 * How many units of one provider and model may be in flight over all workers. The rules match the single-process
 * lane: one call alone until the first success, a climb until the first throttle, then add 1 or halve, and a breaker
 * after consecutive failures. BullMQ counts active jobs and stops at the limit written here.
 */
export interface LaneLimit {
  /** Announces, for a while, the most that a run allows. */
  ask(run: string, ceiling: number | "auto", forMs: number): Promise<void>;
  /** Whether the job is still ours, and whether the provider is known to be down. */
  begin(id: string, token: string, lockMs: number): Promise<Begun>;
  /**
   * Places for a job with several units; being active gives it one. Grants as many as it needs if they are free, up
   * to the whole limit; undefined while it must wait. Until it leaves, nothing else takes the places it waits for.
   */
  spread(id: string, token: string, wanted: number): Promise<number | undefined>;
  leave(id: string, token: string): Promise<void>;
  /** `isNear`: a server on the worker's machine did it. */
  end(
    begun: Begun,
    outcome: "success" | "abandon" | InfraError,
    isNear?: boolean,
  ): Promise<LaneChange | undefined>;
}

export interface Begun {
  readonly isOurs: boolean;
  readonly down?: string;
  /** How often the limit was halved. Units started before the last time tell us nothing new. */
  readonly halvings: number;
}

export interface LaneChange {
  readonly state: LaneState;
  readonly limit: number;
}

export interface LanePolicy {
  /** Consecutive failures, without a success between them, that open the breaker. */
  readonly breakAfter: number;
  /** Wait before each probe while the breaker is open. */
  readonly probeMs: number;
}

const autoCeiling = 65_536;
const defaultPauseMs = 500;
/** Unanswered probes after which the lane is down for a while. */
const maxProbes = 5;
const keepMs = 3_600_000;

export function laneLimit(redis: Redis, lane: string, policy: LanePolicy): LaneLimit {
  const keys = [
    fleetKeys.lane(lane),
    fleetKeys.ceilings(lane),
    queueKey(lane, "meta"),
    queueKey(lane, "marker"),
    queueKey(lane, "limiter"),
    fleetKeys.wide(lane),
    queueKey(lane, "active"),
    queueKey(lane, "wait"),
    queueKey(lane, "prioritized"),
  ] as const;
  const lockOf = (id: string) => queueKey(lane, `${id}:lock`);
  const call = async (script: string, ...values: (string | number)[]): Promise<unknown> =>
    redis.eval(script, keys.length, ...keys, ...values);
  return {
    async ask(run, ceiling, forMs) {
      await call(askScript, run, ceiling === "auto" ? 0 : ceiling, forMs, autoCeiling, queueKey(lane, ""));
    },
    async begin(id, token, lockMs) {
      const [isOurs, down, halvings] = (await call(beginScript, lockOf(id), token, lockMs)) as [
        number,
        string,
        number,
      ];
      return { isOurs: isOurs === 1, halvings, ...(down === "" ? {} : { down }) };
    },
    async spread(id, token, wanted) {
      const places = (await call(spreadScript, id, token, wanted, lockOf(id), autoCeiling)) as number;
      if (places < 0) throw takenOver();
      return places === 0 ? undefined : places;
    },
    async leave(id, token) {
      await call(leaveScript, id, token, autoCeiling);
    },
    async end({ halvings }, outcome, isNear = false) {
      if (outcome === "abandon") return undefined;
      const isSuccess = outcome === "success";
      const [state, limit] = (await call(
        endScript,
        isSuccess ? "success" : outcome.isLate ? "late" : outcome.class,
        halvings,
        isSuccess ? 0 : (outcome.retryAfterMs ?? defaultPauseMs),
        isSuccess ? "" : outcome.message,
        policy.breakAfter,
        policy.probeMs,
        maxProbes,
        isNear ? nearCalls : startLimit,
        autoCeiling,
        keepMs,
      )) as [string, number];
      return state === "" ? undefined : { state: state as LaneState, limit };
    },
  };
}

export const takenOver = (): InfraError =>
  new InfraError("transport", "Another worker has taken over the unit.");

const clock = `
local function nowMs()
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function lowestCeiling(auto)
  local now, lowest = nowMs(), auto
  local asked = redis.call("HGETALL", KEYS[2])
  for i = 1, #asked, 2 do
    local most, untilMs = string.match(asked[i + 1], "^(%d+) (%d+)$")
    if tonumber(untilMs) < now then redis.call("HDEL", KEYS[2], asked[i])
    elseif tonumber(most) < lowest then lowest = tonumber(most) end
  end
  return lowest
end
local function allowedNow(auto)
  local limit = tonumber(redis.call("HGET", KEYS[1], "limit") or "1")
  return math.max(1, math.min(math.floor(limit), lowestCeiling(auto)))
end
local function count(name) return tonumber(redis.call("HGET", KEYS[6], name) or "0") end
-- BullMQ compares it with the number of active jobs, so the places that wide ones take after their first are not in it
local function published(allowed) return string.format("%d", math.max(1, allowed - count("extra"))) end
-- the marker wakes a worker that waits
local function publish(allowed)
  redis.call("HSET", KEYS[6], "allowed", string.format("%d", allowed))
  redis.call("HSET", KEYS[3], "concurrency", published(allowed))
  redis.call("ZADD", KEYS[4], 0, "0")
end
local function publishIfNew(allowed)
  if redis.call("HGET", KEYS[3], "concurrency") ~= published(allowed) then publish(allowed) end
end
-- "extra" places of all wide jobs, those "granted", and how many of these jobs are "waiting" for theirs
local function tally(state, extra, by)
  redis.call("HINCRBY", KEYS[6], "extra", by * extra)
  if state == "granted" then redis.call("HINCRBY", KEYS[6], "granted", by * extra)
  else redis.call("HINCRBY", KEYS[6], "waiting", by) end
end
local function readWide(text)
  local state, extra, token = string.match(text or "", "^(%a+) (%d+) (.*)$")
  return state, tonumber(extra), token
end
local function forget(id)
  local state, extra = readWide(redis.call("HGET", KEYS[6], id))
  if not state then return end
  redis.call("HDEL", KEYS[6], id)
  tally(state, extra, -1)
end
`;

const askScript = `${clock}
local most = tonumber(ARGV[2])
if most > 0 then
  redis.call("HSET", KEYS[2], ARGV[1], string.format("%d %d", most, nowMs() + tonumber(ARGV[3])))
else
  redis.call("HDEL", KEYS[2], ARGV[1])
end
-- the places of a worker that is gone
local wide = redis.call("HGETALL", KEYS[6])
for i = 1, #wide, 2 do
  local state, _, token = readWide(wide[i + 1])
  if state and redis.call("GET", ARGV[5] .. wide[i] .. ":lock") ~= token then forget(wide[i]) end
end
publishIfNew(allowedNow(tonumber(ARGV[4])))
`;

const spreadScript = `${clock}
local id, token = ARGV[1], ARGV[2]
if redis.call("GET", ARGV[4]) ~= token then return -1 end
local allowed = allowedNow(tonumber(ARGV[5]))
local places = math.min(tonumber(ARGV[3]), allowed)
forget(id)
if places > 1 then
  -- every other active job has a place, but for those that wait for more
  local taken = redis.call("LLEN", KEYS[7]) - 1 - count("waiting") + count("granted")
  local state = taken + places <= allowed and "granted" or "waiting"
  redis.call("HSET", KEYS[6], id, string.format("%s %d %s", state, places - 1, token))
  tally(state, places - 1, 1)
  if state == "waiting" then places = 0 end
end
publishIfNew(allowed)
return places
`;

const leaveScript = `${clock}
local _, _, token = readWide(redis.call("HGET", KEYS[6], ARGV[1]))
if token ~= ARGV[2] then return end
forget(ARGV[1])
publish(allowedNow(tonumber(ARGV[3])))
`;

// the lock is also renewed here, so that a process that slept since it took the job learns whether it lost it
const beginScript = `${clock}
local isOurs = 0
if redis.call("GET", ARGV[1]) == ARGV[2] then
  redis.call("PEXPIRE", ARGV[1], ARGV[3])
  isOurs = 1
end
local state = redis.call("HMGET", KEYS[1], "downUntil", "downMessage", "halvings")
local down = ""
if state[1] and tonumber(state[1]) > nowMs() then down = state[2] end
return { isOurs, down, tonumber(state[3] or "0") }
`;

const endScript = `${clock}
local outcome, seen, pauseMs, message = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local breakAfter, probeMs, maxProbes = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local startLimit, auto = tonumber(ARGV[8]), tonumber(ARGV[9])
local lane = {
  limit = 1, succeeded = 0, throttled = 0, halvings = 0, failures = 0, probes = 0, open = 0,
  from = 0, ends = 0, belowLimit = 0, belowRate = 0, resting = 0, patience = ${climbRules.leastPatience},
}
local written = redis.call("HGETALL", KEYS[1])
for i = 1, #written, 2 do if lane[written[i]] then lane[written[i]] = tonumber(written[i + 1]) or lane[written[i]] end end
local change = ""
local ceiling = lowestCeiling(auto)
local before = math.max(1, math.min(math.floor(lane.limit), ceiling))

-- the climb of one process (climb.ts), with ends per hour
local function rest() lane.resting, lane.patience = 1, math.min(2 * lane.patience, ${climbRules.mostPatience}) end
local function climb()
  local isFull = redis.call("LLEN", KEYS[7]) + count("granted") >= before
    and redis.call("LLEN", KEYS[8]) + redis.call("ZCARD", KEYS[9]) > 0
  local now = nowMs()
  if not isFull then lane.from, lane.ends = 0, 0 return end
  if lane.from == 0 then lane.from = now return end
  lane.ends = lane.ends + 1
  local rate = 3600000 * lane.ends / math.max(1, now - lane.from)
  local rounds = lane.resting == 1 and lane.patience or ${climbRules.leastRounds}
  if lane.ends < math.max(${climbRules.leastEnds}, rounds * lane.limit) then return end
  if lane.resting == 1 or lane.belowRate == 0 or rate >= ${climbRules.leastRise} * lane.belowRate then
    if lane.resting == 0 then lane.patience = ${climbRules.leastPatience} end
    lane.belowLimit, lane.belowRate, lane.resting = lane.limit, rate, 0
    lane.limit = math.min(ceiling, 2 * lane.limit)
  elseif lane.ends >= ${climbRules.mostRounds} * lane.limit then
    rest()
    lane.limit = lane.belowLimit
  else return end
  lane.from, lane.ends = now, 0
end
local function halve()
  if lane.limit <= 1 or lane.succeeded == 0 or seen ~= lane.halvings then return false end
  rest()
  lane.from, lane.ends = 0, 0
  lane.halvings = lane.halvings + 1
  lane.limit = math.max(1, math.floor(lane.limit / 2))
  change = "throttled"
  return true
end

local function pause(ms) redis.call("SET", KEYS[5], "9007199254740991", "PX", math.ceil(ms)) end

if outcome == "success" then
  if lane.open == 1 then change = "closed" end
  if lane.succeeded == 0 then
    lane.succeeded = 1
    lane.limit = ceiling == auto and startLimit or ceiling
  elseif ceiling == auto and lane.throttled == 0 then climb()
  else lane.limit = math.min(ceiling, lane.limit + 1 / lane.limit) end
  lane.failures, lane.probes, lane.open = 0, 0, 0
  redis.call("HDEL", KEYS[1], "downUntil", "downMessage")
elseif outcome == "throttle" or outcome == "transport" or outcome == "late" then
  local isThrottle = outcome == "throttle"
  if isThrottle then
    pause(math.max(1, pauseMs))
    if halve() then lane.throttled = 1 end
  elseif outcome == "late" then halve() end
  if not isThrottle or lane.succeeded == 0 or lane.open == 1 then
    lane.failures = lane.failures + 1
    if lane.open == 1 then lane.probes = lane.probes + 1 end
    local neverWorked = lane.succeeded == 0
    if lane.probes >= maxProbes or (neverWorked and lane.failures >= breakAfter) then
      lane.open, lane.probes, lane.limit, change = 1, maxProbes, 1, "down"
      redis.call("HSET", KEYS[1], "downUntil", string.format("%d", nowMs() + probeMs), "downMessage", message)
      redis.call("DEL", KEYS[5])
    elseif lane.failures >= breakAfter then
      if lane.open == 0 then change = "open" end
      lane.open, lane.limit = 1, 1
      pause(probeMs)
    end
  end
end

for name, value in pairs(lane) do redis.call("HSET", KEYS[1], name, string.format("%.6f", value)) end
redis.call("PEXPIRE", KEYS[1], ARGV[10])
local allowed = math.max(1, math.min(math.floor(lane.limit), ceiling))
publish(allowed)
return { change, allowed }
`;
