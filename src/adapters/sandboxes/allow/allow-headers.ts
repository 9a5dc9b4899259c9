import type { IncomingHttpHeaders } from "node:http";

export interface AllowedHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Names of the headers we left out, except those every client sends without need. */
  readonly removed: readonly string[];
}

/** Headers in which an agent may describe itself to the provider. Its own credentials aren't among them. */
export function allowHeaders(given: IncomingHttpHeaders): AllowedHeaders {
  const headers: Record<string, string> = {};
  const removed: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "string" && value.length <= 8192 && passedOn.test(name)) headers[name] = value;
    else if (typeof value === "string" && Object.hasOwn(features, name)) {
      const asked = value.split(",").map((feature) => feature.trim());
      const known = asked.filter((feature) => features[name]?.has(feature));
      if (known.length > 0) headers[name] = known.join(",");
      for (const feature of asked)
        if (!known.includes(feature)) removed.push(`${name}: ${feature.slice(0, 80)}`);
    } else if (!leftOut.test(name)) removed.push(name);
  }
  return { headers: { ...headers, "content-type": "application/json" }, removed };
}

const passedOn =
  /^(?:accept|user-agent|anthropic-version|anthropic-dangerous-direct-browser-access|x-stainless-(?:arch|lang|os|package-version|retry-count|runtime|runtime-version|timeout|helper-method)|x-app|x-claude-code-session-id|x-codex-(?:window-id|turn-metadata|installation-id)|originator|session[_-]id|conversation_id|version)$/;

/** Connection headers, credentials we replace, and labels nobody needs. */
const leftOut =
  /^(?:host|connection|content-type|content-length|transfer-encoding|accept-encoding|accept-language|sec-fetch-mode|authorization|x-api-key|expect|x-codex-beta-features|x-client-request-id|thread-id|x-session-affinity|x-session-id)$/;

/** Beta features the shipped agents need. Others can change the price (fast modes, longer context) or reach outside. */
const features: Readonly<Record<string, ReadonlySet<string>>> = {
  "anthropic-beta": new Set([
    "claude-code-20250219",
    "oauth-2025-04-20",
    "interleaved-thinking-2025-05-14",
    "fine-grained-tool-streaming-2025-05-14",
    "context-management-2025-06-27",
    "effort-2025-11-24",
    "structured-outputs-2025-11-13",
    "structured-outputs-2025-12-15",
    "prompt-caching-scope-2026-01-05",
    "redact-thinking-2026-02-12",
    "mid-conversation-system-2026-04-07",
    "thinking-token-count-2026-05-13",
    "thinking-display-updates-2026-08-18",
  ]),
  "openai-beta": new Set(["responses=experimental"]),
};
