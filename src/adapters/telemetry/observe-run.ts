import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { type UnitDescription, describeUnit, readResultFacts, resultAttributes } from "./describe-unit.ts";
import type { RunInstruments } from "./run-instruments.ts";
import { writeTraceParent } from "./trace-parent.ts";

export interface ObserveRunOptions {
  readonly api: typeof import("@opentelemetry/api");
  readonly tracer: Tracer;
  readonly instruments: RunInstruments;
  /** Where tokens and finish of a result are read. */
  readonly journal: Pick<Journal, "get">;
}

export interface RunObserver {
  add(event: RunEvent): void;
  /** Units in flight, or waiting for their next try. */
  active(): number;
  /** The open stage that a unit belongs to, or the run. */
  trace(place: StagePlace): string | undefined;
  /** Ends what is still open, once all results were looked at. */
  close(): Promise<void>;
}

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

/** A unit between its first try and its end. Its span is made at the end, when all about it is known. */
interface OpenUnit {
  readonly from: number;
  readonly parent: Context;
  readonly event: EventOf<"try-start">;
  /** When the last try began. */
  triedAt: number;
  tries: number;
  readonly failed: { readonly at: number; readonly class: string }[];
}

/**
 * Spans and metrics of one execution, from its events. No message and no text goes into them: a provider's
 * error may quote a prompt.
 */
export function observeRun({ api, tracer, instruments, journal }: ObserveRunOptions): RunObserver {
  const { SpanKind, SpanStatusCode } = api;
  const outside = api.context.active();
  const units = new Map<string, OpenUnit>();
  /** By step and stage; a stage may run beside another of its name. */
  const stages = new Map<string, Span[]>();
  const reading = new Set<Promise<void>>();
  let run: Span | undefined;
  let inRun = outside;
  let models: Readonly<Record<string, string>> = {};
  let unbooked = 0;
  let lastAt = 0;

  const insideStage = (place: StagePlace): Context => {
    const span = stages.get(stageKey(place))?.at(-1);
    return span === undefined ? inRun : api.trace.setSpan(outside, span);
  };
  const failWith = (span: Span, type: string) =>
    span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });

  function startRun(event: EventOf<"run-start">): void {
    models = event.models;
    unbooked = -event.spent.nanoUsd;
    run = tracer.startSpan(
      `whetstone ${event.command}`,
      {
        startTime: new Date(event.at),
        attributes: {
          "whetstone.run": event.run,
          "whetstone.command": event.command,
          "whetstone.steps": event.steps,
          "whetstone.resumed": event.resumed,
          "whetstone.skill": event.skillName,
          ...Object.fromEntries(Object.entries(models).map(([role, id]) => [`whetstone.model.${role}`, id])),
          ...Object.fromEntries(
            Object.entries(event.tasks).map(([split, count]) => [`whetstone.tasks.${split}`, count]),
          ),
        },
      },
      outside,
    );
    inRun = api.trace.setSpan(outside, run);
  }

  function startStage(event: EventOf<"stage-start">): void {
    const span = tracer.startSpan(
      event.stage,
      {
        startTime: new Date(event.at),
        attributes: { ...placeOf(event), "whetstone.total": event.total },
      },
      inRun,
    );
    const beside = stages.get(stageKey(event));
    if (beside === undefined) stages.set(stageKey(event), [span]);
    else beside.push(span);
  }

  function endStage(event: EventOf<"stage-end">): void {
    const span = stages.get(stageKey(event))?.shift();
    if (span === undefined) return;
    const { pending, hard, soft } = event;
    span.setAttributes({
      "whetstone.pending": pending,
      "whetstone.score.hard": hard,
      "whetstone.score.soft": soft,
    });
    span.end(new Date(event.at));
  }

  function startTry(event: EventOf<"try-start">): void {
    const open = units.get(event.key);
    if (open === undefined) {
      const parent = insideStage(event);
      units.set(event.key, { from: event.at, parent, event, triedAt: event.at, tries: 1, failed: [] });
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

  const describe = ({ event }: OpenUnit): UnitDescription =>
    describeUnit(event.kind ?? "unit", models[event.role] ?? "");

  function endUnit(event: EventOf<"unit-end">): void {
    const { key, role, from, cost, at, ms, tries } = event;
    instruments.units.add(1, {
      "whetstone.role": role,
      "whetstone.stage": event.stage,
      "whetstone.outcome": from === "provider" ? "bought" : from,
    });
    // millions may be read again: they are counted, and have no spans
    if (from !== "provider") return;
    book(cost.nanoUsd, role);
    const open = units.get(key) ?? {
      from: at - ms,
      parent: insideStage(event),
      event: { ...event, type: "try-start" as const },
      triedAt: at - ms,
      tries,
      failed: [],
    };
    units.delete(key);
    const work = endWithResult(open, event).finally(() => reading.delete(work));
    reading.add(work);
  }

  async function endWithResult(open: OpenUnit, end: EventOf<"unit-end">): Promise<void> {
    const recorded = await journal.get(end.key).catch(() => undefined);
    const written = recorded?.body["unit"];
    const kind = open.event.kind ?? (typeof written === "string" ? written.replace(/@\d+$/, "") : "unit");
    const about = describeUnit(kind, models[end.role] ?? "");
    const facts = about.isGenAi ? readResultFacts(recorded?.body["output"]) : {};
    if (about.isGenAi) {
      instruments.duration.record(end.ms / 1000, about.attributes);
      const { inputTokens, outputTokens } = facts.usage ?? {};
      for (const [type, count] of Object.entries({ input: inputTokens, output: outputTokens }))
        if (count !== undefined)
          instruments.tokens.record(count, { ...about.attributes, "gen_ai.token.type": type });
    }
    const more = { ...resultAttributes(facts), "whetstone.usd": end.cost.nanoUsd / 1e9 };
    unitSpan({ ...open, tries: end.tries }, about, more).end(new Date(end.at));
  }

  function unitSpan(open: OpenUnit, about: UnitDescription, more: Attributes): Span {
    const { event, from, parent, tries, failed } = open;
    const span = tracer.startSpan(
      about.name,
      {
        startTime: new Date(from),
        kind: about.attributes["gen_ai.operation.name"] === "chat" ? SpanKind.CLIENT : SpanKind.INTERNAL,
        attributes: {
          ...about.attributes,
          ...placeOf(event),
          "whetstone.role": event.role,
          "whetstone.key": event.key,
          "whetstone.tries": tries,
          ...more,
        },
      },
      parent,
    );
    for (const one of failed) span.addEvent("try-failed", { "error.type": one.class }, new Date(one.at));
    return span;
  }

  function giveUpUnit(key: string, type: string, at: number): void {
    const open = units.get(key);
    if (open === undefined) return;
    units.delete(key);
    failWith(unitSpan(open, describe(open), {}), type).end(new Date(at));
  }

  function leavePending({ key, role, stage, class: type, at }: EventOf<"unit-pending">): void {
    instruments.units.add(1, {
      "whetstone.role": role,
      "whetstone.stage": stage,
      "whetstone.outcome": "pending",
      "error.type": type,
    });
    giveUpUnit(key, type, at);
  }

  function book(nanoUsd: number, role: string): void {
    unbooked -= nanoUsd;
    instruments.spend.add(nanoUsd / 1e9, { "whetstone.role": role });
  }

  function endRun({ status, code, cost, at }: EventOf<"run-end">): void {
    unbooked += cost.nanoUsd;
    // failed tries cost too, and no unit tells of them; after a stop, units in flight still will
    if (status === "done" && unbooked > 0) book(unbooked, "failed");
    run?.setAttributes({
      "whetstone.usd": cost.nanoUsd / 1e9,
      "whetstone.tokens": cost.tokens,
      "whetstone.calls": cost.calls,
    });
    if (run !== undefined && status === "stopped") failWith(run, code ?? "failed");
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

  return {
    add(event) {
      lastAt = event.at;
      switch (event.type) {
        case "run-start":
          return startRun(event);
        case "stage-start":
          return startStage(event);
        case "stage-end":
          return endStage(event);
        case "try-start":
          return startTry(event);
        case "try-failed":
          return failTry(event);
        case "unit-end":
          return endUnit(event);
        case "unit-pending":
          return leavePending(event);
        case "step-end":
          return endStep(event);
        case "run-end":
          return endRun(event);
      }
    },
    active: () => units.size,
    trace(place) {
      const span = api.trace.getSpanContext(insideStage(place));
      return span === undefined ? undefined : writeTraceParent(span);
    },
    async close() {
      await Promise.all(reading);
      for (const [key, open] of units) giveUpUnit(key, open.failed.at(-1)?.class ?? "interrupted", lastAt);
      for (const span of [...stages.values()].flat()) failWith(span, "interrupted").end(new Date(lastAt));
      run?.end(new Date(lastAt));
    },
  };
}

interface StagePlace {
  readonly step: number;
  readonly stage: string;
}

const stageKey = ({ step, stage }: StagePlace): string => `${step} ${stage}`;

const placeOf = ({ run, step, stage }: StagePlace & { readonly run: string }): Attributes => ({
  "whetstone.run": run,
  "whetstone.step": step,
  "whetstone.stage": stage,
});
