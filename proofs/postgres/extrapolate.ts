import type { Json } from "../../src/ports.ts";
import type { WriteRate } from "./measure-writes.ts";

export interface Measured {
  readonly size: { readonly bytesPerResult: number; readonly keyIndex: number };
  readonly logBytesPerEntry: number;
  /** One writer alone, a few busy ones, and many with one unit each. */
  readonly rates: readonly WriteRate[];
}

const units = 1e8;
const workers = 1000;

/** From what was measured to 10⁸ units and 1,000 workers. */
export function extrapolate({ size, logBytesPerEntry, rates }: Measured) {
  const bytesPerUnit = size.bytesPerResult + 2 * logBytesPerEntry;
  const terabytes = (units * bytesPerUnit) / 1e12;
  const keyGigabytes = (units * size.keyIndex) / 1e9;
  const busy = rates.reduce((best, rate) => (rate.unitsPerSecond > best.unitsPerSecond ? rate : best));
  const many = rates.reduce((best, rate) => (rate.writers > best.writers ? rate : best));
  const days = units / busy.unitsPerSecond / 86_400;
  const unitSeconds = workers / many.unitsPerSecond;
  const sessionsPerWriter = many.sessions / (many.writers + 1);
  const sessions = Math.ceil(workers * sessionsPerWriter);
  const sessionGigabytes = (sessions * many.sessionMegabytes) / 1000;
  const logMegabytes = (busy.unitsPerSecond * busy.logBytesPerUnit) / 1e6;
  return {
    figures: {
      bytesPerUnit,
      terabytesFor1e8: round(terabytes),
      keyGigabytesFor1e8: round(keyGigabytes),
      daysFor1e8: round(days),
      sessionsFor1000: sessions,
      sessionGigabytesFor1000: round(sessionGigabytes),
      shortestUnitSecondsFor1000: round(unitSeconds),
    } satisfies Record<string, Json>,
    lines: [
      "10⁸ units and 1,000 workers, from these figures:",
      `- disk: ${bytesPerUnit} bytes a unit (result, intent, event) × 10⁸ = ${round(terabytes)} TB`,
      `- memory: the index of keys is hit at random and should fit: ${size.keyIndex} bytes × 10⁸ = ${round(keyGigabytes)} GB, ${round(keyGigabytes / 16)} GB in each of 16 tables`,
      `- time: at ${busy.unitsPerSecond} units a second 10⁸ take ${round(days)} days, with ${round(logMegabytes)} MB a second of write-ahead log`,
      `- rate: ${many.writers} writers with one unit each reached ${many.unitsPerSecond} units a second in ${many.batchesPerSecond} transactions, one after another; 1,000 workers stay below that while a unit takes more than ${round(unitSeconds)} s`,
      `- sessions: ${round(sessionsPerWriter)} for each writer and ${many.sessionMegabytes} MB each, so 1,000 workers need ${sessions} sessions and ${round(sessionGigabytes)} GB`,
      `The first to give way are the sessions: PostgreSQL allows 100 unless told otherwise, which is ${Math.floor(100 / sessionsPerWriter)} workers. First let one worker process run more units at a time: a batch of 64 costs little more than a batch of one. Then put PgBouncer in front of the workers, by transaction: they hold no locks and watch nothing (200 of them were tried on 10 sessions). Coordinators keep sessions of their own.`,
      `After that the order of transactions: only one may add rows at a time. It is left when units are shorter than ${round(unitSeconds)} s: then again more units in each worker, then a database for each team.`,
    ],
  };
}

const round = (value: number): number => Number(value.toPrecision(3));
