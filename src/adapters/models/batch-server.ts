import type { BatchServer } from "./batch-protocol.ts";
import { classifyError } from "./classify.ts";

export interface BatchServerOptions {
  readonly base: string;
  /** With the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly send: typeof globalThis.fetch;
}

/** How long one exchange may take: an upload or a file of answers can be large. */
const timeoutMs = 600_000;

export function batchServer({ base, headers, send }: BatchServerOptions): BatchServer {
  const secrets = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, "")]);

  async function exchange(path: string, init: RequestInit): Promise<string> {
    try {
      const response = await send(`${base}${path}`, { ...init, signal: AbortSignal.timeout(timeoutMs) });
      const text = await response.text();
      if (response.ok) return text;
      const answered = { statusCode: response.status, responseBody: text };
      throw classifyError({ ...answered, responseHeaders: Object.fromEntries(response.headers) }, secrets);
    } catch (error) {
      throw classifyError(error, secrets);
    }
  }

  return {
    get: (path) => exchange(path, { method: "GET", headers }),
    post: (path, body, contentType = "application/json") =>
      exchange(path, { method: "POST", headers: { ...headers, "content-type": contentType }, body }),
  };
}
