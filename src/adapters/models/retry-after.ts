import type { Failure } from "./failure.ts";

/** How long the provider asks us to wait: a header in seconds, milliseconds or as a date, or Google's body. */
export function readRetryAfter({ headers, said }: Pick<Failure, "headers" | "said">): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (ms >= 0) return Math.ceil(ms);
  const header = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(header)) return Math.ceil(Number(header) * 1000);
  const date = Date.parse(header);
  if (!Number.isNaN(date)) {
    // by the server's own clock where it tells it: ours may be wrong
    const now = Date.parse(headers["date"] ?? "");
    return Math.max(0, date - (Number.isNaN(now) ? Date.now() : now));
  }
  const delay = /"retryDelay":"(\d+(?:\.\d+)?)s"/.exec(said)?.[1];
  return delay === undefined ? undefined : Math.ceil(Number(delay) * 1000);
}
