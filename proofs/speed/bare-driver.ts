import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
import type { ModelRequest } from "../../src/ports.ts";
import type { GraphCall } from "./call-graph.ts";

export type BareCall = (request: ModelRequest, key: string) => Promise<unknown>;

/** One call by the AI SDK alone: no retries, nothing written down. */
export function bareGenerateText(url: string): BareCall {
  const provider = createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, apiKey: "none" });
  return ({ model, system, messages, maxTokens }, key) =>
    generateText({
      model: provider(model.slice("scripted/".length)),
      ...(system === undefined ? {} : { system }),
      messages: messages.map(({ role, content }) => ({ role, content })),
      maxOutputTokens: maxTokens,
      maxRetries: 0,
      headers: { "Idempotency-Key": key },
    });
}

/** The same without any SDK. */
export function bareFetch(url: string): BareCall {
  return async ({ model, system, messages, maxTokens }, key) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({
        model: model.slice("scripted/".length),
        max_tokens: maxTokens,
        messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...messages],
      }),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response.json();
  };
}

/** Milliseconds that a plain loop over these calls takes, so many at a time. */
export async function driveAll(
  calls: readonly { readonly request: ModelRequest; readonly key: string }[],
  concurrency: number,
  call: BareCall,
): Promise<number> {
  const started = performance.now();
  const waiting = calls.values();
  const worker = async () => {
    for (const { request, key } of waiting) await call(request, key);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return performance.now() - started;
}

/** Milliseconds that a graph takes when every call begins as soon as it may, so many at a time for each model. */
export function driveGraph(
  graph: readonly GraphCall[],
  concurrency: number,
  call: BareCall,
): Promise<number> {
  const started = performance.now();
  const missing = new Map(graph.map((node) => [node, node.after.length]));
  const needed = new Map<GraphCall, GraphCall[]>();
  for (const node of graph) {
    for (const before of node.after) {
      const later = needed.get(before);
      if (later === undefined) needed.set(before, [node]);
      else later.push(node);
    }
  }
  const lanes = new Map<
    string,
    { inFlight: number; readonly urgent: GraphCall[]; readonly background: GraphCall[] }
  >();
  let left = graph.length;

  return new Promise((resolve, reject) => {
    const laneOf = ({ request }: GraphCall) => {
      const lane = lanes.get(request.model) ?? { inFlight: 0, urgent: [], background: [] };
      lanes.set(request.model, lane);
      return lane;
    };
    const begin = (node: GraphCall) => {
      const lane = laneOf(node);
      lane.inFlight += 1;
      call(node.request, node.key).then(() => {
        lane.inFlight -= 1;
        left -= 1;
        if (left === 0) return resolve(performance.now() - started);
        for (const later of needed.get(node) ?? []) {
          const still = (missing.get(later) ?? 0) - 1;
          missing.set(later, still);
          if (still === 0) enqueue(later);
        }
        pump();
      }, reject);
    };
    const enqueue = (node: GraphCall) => {
      const { urgent, background } = laneOf(node);
      (node.background ? background : urgent).push(node);
    };
    const pump = () => {
      for (const lane of lanes.values()) {
        while (lane.inFlight < concurrency) {
          const node = lane.urgent.shift() ?? lane.background.shift();
          if (node === undefined) break;
          begin(node);
        }
      }
    };
    for (const node of graph) if (node.after.length === 0) enqueue(node);
    pump();
  });
}
