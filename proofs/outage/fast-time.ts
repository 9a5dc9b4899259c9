// node --import fast-time.ts …: back-offs, pauses and probes pass thirty times as fast; calls take as long as they take.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const speed = 30;
const [started, realNow, realSleep] = [Date.now(), Date.now, timers.setTimeout];

Date.now = () => started + (realNow() - started) * speed;
timers.setTimeout = (ms, ...rest) => realSleep((ms ?? 0) / speed, ...rest);
syncBuiltinESMExports();
