import { InfraError } from "../../../src/core/errors.ts";
import type { Model, ModelRequest, Reply, Usage } from "../../../src/core/ports/model.ts";
import { completeAnswer } from "../../../src/testing/scripted-server/answer.ts";
import type { ChatWorld } from "../../../src/testing/scripted-server/chat-world.ts";
import type { VirtualProcess } from "./virtual-time.ts";

/**
 * Everything that can go wrong with one call and be gone with the next.
 *
 * @example
 * console.log(networkFaults.includes("429"));
 */
export const networkFaults = [
  "429",
  "429-retry-after",
  "529",
  "500",
  "503",
  "refused-connection",
  "reset",
  "timeout",
  "cut",
] as const;

/** `401` and `spend-limit` stay until somebody mends them, so they only come as outages. */
export type NetworkFault = (typeof networkFaults)[number] | "401" | "spend-limit";

export interface NetworkCall {
  readonly key: string;
  readonly model: string;
  /** What the provider charges for, whether or not its answer arrives. */
  readonly charged: Usage | undefined;
}

export interface SimulatedNetworkOptions {
  readonly world: ChatWorld;
  readonly random: () => number;
  /** The share of calls that fail, asked at each call. */
  readonly faultRate: () => number;
  /** How every call fails at this moment, if the provider is out of order. */
  readonly outage?: () => NetworkFault | undefined;
  readonly onCall?: (call: NetworkCall) => void;
}

/** A provider that plays a world, behind a network with latency and faults, in virtual time. */
export interface SimulatedNetwork {
  /** The model `scripted/<name>` as one process calls it. */
  model(id: string, process: VirtualProcess): Model;
}

const timeoutMs = 20_000;

/**
 * A provider in virtual time, with latency and faults.
 *
 * @example
 * const time = virtualTime(Math.random);
 * const network = simulatedNetwork({
 *   world: { reply: () => ({ text: "ok" }) },
 *   random: Math.random,
 *   faultRate: () => 0.2,
 * });
 * console.log(network.model("scripted/target", time.startProcess()).id);
 */
export function simulatedNetwork(options: SimulatedNetworkOptions): SimulatedNetwork {
  const { world, random, faultRate, outage, onCall } = options;
  const answer = simulatedReply(world);

  function drawFault(): NetworkFault | undefined {
    const everywhere = outage?.();
    if (everywhere !== undefined) return everywhere;
    return random() < faultRate() ? networkFaults[Math.floor(random() * networkFaults.length)] : undefined;
  }

  // steps of 5 ms, so that answers often arrive at the same moment
  const drawLatency = () => 5 * Math.ceil(random() * (random() < 0.05 ? 400 : 30));

  function model(id: string, process: VirtualProcess): Model {
    return {
      id,
      generate: (request, { key, signal }) =>
        new Promise((resolve, reject) => {
          signal.throwIfAborted();
          const fault = drawFault();
          const reply = answer(request, key);
          const isCharged = fault === undefined || (mayCharge.has(fault) && random() < 0.5);
          onCall?.({ key, model: id, charged: isCharged ? reply.usage : undefined });
          const giveUp = () => {
            cancel();
            reject(signal.reason as Error);
          };
          const wait = fault === "timeout" ? timeoutMs : drawLatency();
          const cancel = process.after(wait, `${fault ?? "reply"} ${key.slice(0, 8)}`, () => {
            signal.removeEventListener("abort", giveUp);
            if (fault === undefined) resolve(reply);
            else reject(failure(fault, random));
          });
          signal.addEventListener("abort", giveUp, { once: true });
        }),
    };
  }

  return { model };
}

/** What a world replies, as a model gives it. */
export const simulatedReply =
  (world: ChatWorld) =>
  ({ model, system = "", messages, maxTokens }: ModelRequest, key: string): Reply => {
    const name = model.slice(model.indexOf("/") + 1);
    const request = {
      protocol: "openai-chat",
      model: name,
      system,
      messages,
      maxTokens,
      key,
      tools: [],
    } as const;
    const { text, usage, finish } = completeAnswer(request, world.reply(request), key);
    return { text, usage, finish: finish === "tool-calls" ? "other" : finish };
  };

/** The model may have worked although no answer arrived. */
const mayCharge: ReadonlySet<NetworkFault> = new Set<NetworkFault>(["reset", "timeout", "cut"]);

const statuses: Readonly<Partial<Record<NetworkFault, readonly [InfraError["class"], number]>>> = {
  "429": ["throttle", 429],
  "429-retry-after": ["throttle", 429],
  "529": ["throttle", 529],
  "500": ["transport", 500],
  "503": ["transport", 503],
  "401": ["refused", 401],
  "spend-limit": ["money", 429],
};

function failure(fault: NetworkFault, random: () => number): InfraError {
  const billed = mayCharge.has(fault) ? "unknown" : "no";
  const retryAfterMs = fault === "429-retry-after" ? 1000 * Math.ceil(random() * 8) : undefined;
  const [kind, status] = statuses[fault] ?? [];
  if (kind !== undefined) return new InfraError(kind, `HTTP ${status}`, { billed, status, retryAfterMs });
  return new InfraError("transport", `The connection failed (${fault}).`, { billed });
}
