import { byteLength } from "./estimate-tokens.ts";
import type { Cost } from "../cost.ts";
import type { ModelRequest, Usage } from "../ports/model.ts";

/** US dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache. @default input */
  readonly cachedInput?: number;
  /** Input written to the provider's cache. @default input */
  readonly cacheWriteInput?: number;
}

export interface Price extends Rates {
  /** Rates for the whole call if its input has more than `above` tokens. */
  readonly longContext?: Rates & { readonly above: number };
}

/** The cost of a call in billionths of a US dollar, rounded up. */
export function costOf(usage: Usage, price: Price): number {
  const { inputTokens, outputTokens } = usage;
  const rates = ratesFor(inputTokens, price);
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  const written = Math.min(usage.cacheWriteInputTokens ?? 0, inputTokens - cached);
  return nanoUsd([
    [inputTokens - cached - written, rates.input],
    [cached, rates.cachedInput ?? rates.input],
    [written, rates.cacheWriteInput ?? rates.input],
    [outputTokens, rates.output],
  ]);
}

/** The maximum cost of a call: without discounts, at the highest rate for its input, with all of the output. */
export function worstCase(request: ModelRequest, price: Price, ownTokens = 0): Cost {
  const bound = boundUsage(request);
  const [inputTokens, outputTokens] = [bound.inputTokens + ownTokens, bound.outputTokens];
  const rates = [price, ratesFor(inputTokens, price)];
  const input = Math.max(...rates.flatMap((r) => [r.input, r.cachedInput ?? 0, r.cacheWriteInput ?? 0]));
  const output = Math.max(...rates.map((r) => r.output));
  return {
    nanoUsd: nanoUsd([
      [inputTokens, input],
      [outputTokens, output],
    ]),
    tokens: inputTokens + outputTokens,
    calls: 1,
  };
}

/**
 * The most tokens that a call can use. A token covers at least one byte of text. The constants are
 * generous room for the text that a provider wraps around the messages.
 */
export function boundUsage({ system = "", messages, maxTokens, body }: ModelRequest): Usage {
  // a server may show the model the required format of its reply
  let bytes = byteLength(system) + (body === undefined ? 0 : byteLength(JSON.stringify(body)));
  for (const { content } of messages) bytes += byteLength(content);
  return { inputTokens: bytes + 64 + 16 * messages.length, outputTokens: maxTokens };
}

function ratesFor(inputTokens: number, { longContext, ...rates }: Price): Rates {
  return longContext !== undefined && inputTokens > longContext.above ? longContext : rates;
}

// integers throughout, because a binary fraction such as 0.1 would make sums round the wrong way
function nanoUsd(parts: readonly (readonly [tokens: number, usdPerMillion: number])[]): number {
  let perMillion = 0n;
  // an estimate can be fractional
  for (const [tokens, usd] of parts) perMillion += BigInt(Math.ceil(tokens)) * BigInt(Math.round(usd * 1e9));
  return Number((perMillion + 999_999n) / 1_000_000n);
}
