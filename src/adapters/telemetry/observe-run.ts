import type { Attributes, Context, Span, SpanKind, Tracer } from "@opentelemetry/api";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { type UnitDescription, describeUnit, readResultFacts, resultAttributes } from "./describe-unit.ts";
import type { RunInstruments } from "./run-instruments.ts";

export interface ObserveRunOptions {
  readonly api: typeof import("@opentelemetry/api");
  readonly tracer: Tracer;
  readonly instruments: RunInstruments;
  /** The journal to read a result's tokens and finish from. */
  readonly journal: Pick<Journal, "get">;
}

export interface RunObserver {
  add(event: RunEvent): void;
  /** Units in flight, or waiting for their next try. */
  active(): number;
  /** Ends everything still open, once all results have been read. */
  close(): Promise<void>;
}

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

/**
 * Spans and metrics of one execution, from its events. They contain no messages or texts, because a provider's error
 * may quote a prompt.
 */
export function observeRun(options: ObserveRunOptions): RunObserver {
  const { api, instruments } = options;
  const outside = api.context.active();
  const spans = spanMaker(options);
  let run: Span | undefined;
  let inRun = outside;
  let models: Readonly<Record<string, string>> = {};
  let unbooked = 0;
  let lastAt = 0;
  const stages = observeStages(spans, (span) =>
    span === undefined ? inRun : api.trace.setSpan(outside, span),
  );
  const units = observeUnits(options, {
    spans,
    parentOf: stages.contextOf,
    modelOf: (role) => models[role] ?? "",
    book,
  });

  function startRun(event: EventOf<"run-start">): void {
    models = event.models;
    unbooked = -event.spent.nanoUsd;
    const attributes = {
      "whetstone.run": event.run,
      "whetstone.command": event.command,
      "whetstone.steps": event.steps,
      "whetstone.resumed": event.resumed,
      "whetstone.skill": event.skillName,
      ...prefixed("whetstone.model.", models),
      ...prefixed("whetstone.tasks.", event.tasks),
    };
    run = spans.start(`whetstone ${event.command}`, event.at, attributes, outside);
    inRun = api.trace.setSpan(outside, run);
  }

  function book(nanoUsd: number, role: string): void {
    unbooked -= nanoUsd;
    instruments.spend.add(nanoUsd / 1e9, { "whetstone.role": role });
  }

  function endRun({ status, code, cost, at }: EventOf<"run-end">): void {
    unbooked += cost.nanoUsd;
    // failed tries cost too but no unit reports them, and after a stop, units in flight still will
    if (status === "done" && unbooked > 0) book(unbooked, "failed");
    run?.setAttributes({
      "whetstone.usd": cost.nanoUsd / 1e9,
      "whetstone.tokens": cost.tokens,
      "whetstone.calls": cost.calls,
    });
    if (run !== undefined && status === "stopped") spans.fail(run, code ?? "failed");
    run?.end(new Date(at));
    run = undefined;
  }

  function endStep({ step, action, edits, score, current, at }: EventOf<"step-end">): void {
    const attributes = {
      "whetstone.step": step,
      "whetstone.action": action,
      "whetstone.edits": edits,
      "whetstone.score": score ?? undefined,
      "whetstone.incumbent": current.score ?? undefined,
    };
    run?.addEvent("step-end", attributes, new Date(at));
  }

  const observers: { readonly [Type in RunEvent["type"]]?: (event: EventOf<Type>) => void } = {
    "run-start": startRun,
    "stage-start": stages.start,
    "stage-end": stages.end,
    "try-start": units.startTry,
    "try-failed": units.failTry,
    "unit-end": units.end,
    "unit-pending": units.leavePending,
    "step-end": endStep,
    "run-end": endRun,
  };
  return {
    add(event) {
      lastAt = event.at;
      (observers[event.type] as ((event: RunEvent) => void) | undefined)?.(event);
    },
    active: units.active,
    async close() {
      await units.close(() => lastAt);
      stages.close(lastAt);
      run?.end(new Date(lastAt));
    },
  };
}

type Spans = ReturnType<typeof spanMaker>;

const spanMaker = ({ api, tracer }: Pick<ObserveRunOptions, "api" | "tracer">) => ({
  start: (name: string, from: number, attributes: Attributes, parent: Context, kind?: SpanKind): Span =>
    tracer.startSpan(name, { startTime: new Date(from), kind, attributes }, parent),
  fail: (span: Span, type: string): Span =>
    span.setAttribute("error.type", type).setStatus({ code: api.SpanStatusCode.ERROR }),
});

/** The spans of stages. `inside` returns the context of one, or of the run. */
function observeStages(spans: Spans, inside: (span: Span | undefined) => Context) {
  /** By step and stage; a stage may run next to another with its name. */
  const open = new Map<string, Span[]>();
  const keyOf = ({ step, stage }: StagePlace): string => `${step} ${stage}`;

  return {
    contextOf: (place: StagePlace): Context => inside(open.get(keyOf(place))?.at(-1)),
    start: (event: EventOf<"stage-start">): void => {
      const attributes = { ...placeOf(event), "whetstone.total": event.total };
      const span = spans.start(event.stage, event.at, attributes, inside(undefined));
      open.set(keyOf(event), [...(open.get(keyOf(event)) ?? []), span]);
    },
    end: (event: EventOf<"stage-end">): void => {
      const span = open.get(keyOf(event))?.shift();
      const { pending, hard, soft } = event;
      span?.setAttributes({
        "whetstone.pending": pending,
        "whetstone.score.hard": hard,
        "whetstone.score.soft": soft,
      });
      span?.end(new Date(event.at));
    },
    close(at: number): void {
      for (const span of [...open.values()].flat()) spans.fail(span, "interrupted").end(new Date(at));
    },
  };
}

/** A unit between its first try and its end. Its span is created at the end, when everything about it is known. */
interface OpenUnit {
  readonly from: number;
  readonly parent: Context;
  readonly event: EventOf<"try-start">;
  /** The start of the last try. */
  triedAt: number;
  tries: number;
  readonly failed: { readonly at: number; readonly class: string }[];
}

interface UnitSurroundings {
  readonly spans: Spans;
  readonly parentOf: (place: StagePlace) => Context;
  readonly modelOf: (role: string) => string;
  readonly book: (nanoUsd: number, role: string) => void;
}

/** The spans of units, and the cost of their tries. */
function observeUnits(
  { api, instruments, journal }: ObserveRunOptions,
  { spans, parentOf, modelOf, book }: UnitSurroundings,
) {
  const units = new Map<string, OpenUnit>();
  const reading = new Set<Promise<void>>();

  const describe = ({ event }: OpenUnit): UnitDescription =>
    describeUnit(event.kind ?? "unit", modelOf(event.role));

  function startTry(event: EventOf<"try-start">): void {
    const open = units.get(event.key);
    if (open === undefined) {
      units.set(event.key, newUnit(event, event.at, parentOf(event), 1));
      return;
    }
    open.triedAt = event.at;
    open.tries += 1;
    instruments.retries.add(1, {
      "whetstone.role": event.role,
      "error.type": open.failed.at(-1)?.class ?? "unknown",
    });
  }

  function failTry({ key, at, class: type }: EventOf<"try-failed">): void {
    const open = units.get(key);
    if (open === undefined) return;
    open.failed.push({ at, class: type });
    const about = describe(open);
    if (about.isGenAi)
      instruments.duration.record((at - open.triedAt) / 1000, { ...about.attributes, "error.type": type });
  }

  function end(event: EventOf<"unit-end">): void {
    const { key, role, from, cost, at, ms, tries } = event;
    instruments.units.add(1, {
      "whetstone.role": role,
      "whetstone.stage": event.stage,
      "whetstone.outcome": from === "provider" ? "bought" : from,
    });
    // there may be millions of results read again, so they are counted but get no spans
    if (from !== "provider") return;
    book(cost.nanoUsd, role);
    const open = units.get(key) ?? newUnit({ ...event, type: "try-start" }, at - ms, parentOf(event), tries);
    units.delete(key);
    const work = endWithResult(open, event).finally(() => reading.delete(work));
    reading.add(work);
  }

  async function endWithResult(open: OpenUnit, ended: EventOf<"unit-end">): Promise<void> {
    const recorded = await journal.get(ended.key).catch(() => undefined);
    const written = recorded?.body["unit"];
    const kind = open.event.kind ?? (typeof written === "string" ? written.replace(/@\d+$/, "") : "unit");
    const about = describeUnit(kind, modelOf(ended.role));
    const facts = about.isGenAi ? readResultFacts(recorded?.body["output"]) : {};
    if (about.isGenAi) {
      instruments.duration.record(ended.ms / 1000, about.attributes);
      const { inputTokens, outputTokens } = facts.usage ?? {};
      for (const [type, count] of Object.entries({ input: inputTokens, output: outputTokens }))
        if (count !== undefined)
          instruments.tokens.record(count, { ...about.attributes, "gen_ai.token.type": type });
    }
    const more = { ...resultAttributes(facts), "whetstone.usd": ended.cost.nanoUsd / 1e9 };
    unitSpan({ ...open, tries: ended.tries }, about, more).end(new Date(ended.at));
  }

  function unitSpan(open: OpenUnit, about: UnitDescription, more: Attributes): Span {
    const { event, from, parent, tries, failed } = open;
    const attributes = {
      ...about.attributes,
      ...placeOf(event),
      "whetstone.role": event.role,
      "whetstone.key": event.key,
      "whetstone.tries": tries,
      ...more,
    };
    const isChat = about.attributes["gen_ai.operation.name"] === "chat";
    const kind = isChat ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
    const span = spans.start(about.name, from, attributes, parent, kind);
    for (const one of failed) span.addEvent("try-failed", { "error.type": one.class }, new Date(one.at));
    return span;
  }

  function giveUp(key: string, type: string, at: number): void {
    const open = units.get(key);
    if (open === undefined) return;
    units.delete(key);
    spans.fail(unitSpan(open, describe(open), {}), type).end(new Date(at));
  }

  function leavePending({ key, role, stage, class: type, at }: EventOf<"unit-pending">): void {
    instruments.units.add(1, {
      "whetstone.role": role,
      "whetstone.stage": stage,
      "whetstone.outcome": "pending",
      "error.type": type,
    });
    giveUp(key, type, at);
  }

  return {
    startTry,
    failTry,
    end,
    leavePending,
    active: () => units.size,
    async close(at: () => number): Promise<void> {
      await Promise.all(reading);
      for (const [key, open] of units) giveUp(key, open.failed.at(-1)?.class ?? "interrupted", at());
    },
  };
}

const newUnit = (event: EventOf<"try-start">, from: number, parent: Context, tries: number): OpenUnit => ({
  from,
  parent,
  event,
  triedAt: from,
  tries,
  failed: [],
});

interface StagePlace {
  readonly step: number;
  readonly stage: string;
}

const placeOf = ({ run, step, stage }: StagePlace & { readonly run: string }): Attributes => ({
  "whetstone.run": run,
  "whetstone.step": step,
  "whetstone.stage": stage,
});

const prefixed = (prefix: string, values: Readonly<Record<string, string | number>>): Attributes =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
