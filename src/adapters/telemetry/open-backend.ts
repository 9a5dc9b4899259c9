import { createRequire } from "node:module";
import type { Meter, Tracer } from "@opentelemetry/api";
import { WhetstoneError } from "../../core/errors.ts";
import { loadPeer } from "../load-peer.ts";

/** Receives spans and metrics. */
export interface TelemetryBackend {
  readonly api: typeof import("@opentelemetry/api");
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** A command ends its process soon, and anything waiting in a batch would be lost. */
  flush(): Promise<void>;
}

/** The OpenTelemetry SDK that this process has registered. */
export async function openBackend(): Promise<TelemetryBackend> {
  const api = await loadPeer<typeof import("@opentelemetry/api")>("@opentelemetry/api");
  const { trace, metrics, ProxyTracerProvider } = api;
  const registered = trace.getTracerProvider();
  // the proxy may come from another copy of the package
  const provider =
    (registered as Partial<InstanceType<typeof ProxyTracerProvider>>).getDelegate?.() ?? registered;
  if (provider === new ProxyTracerProvider().getDelegate())
    throw new WhetstoneError(
      "config-invalid",
      '"telemetry" is on, but no OpenTelemetry SDK is registered in this process to receive it.',
      {
        hint: "Start it with NODE_OPTIONS='--import @opentelemetry/auto-instrumentations-node/register', or leave telemetry off.",
      },
    );
  const { version } = createRequire(import.meta.url)("whetstone/package.json") as { version: string };
  return {
    api,
    tracer: trace.getTracer("whetstone", version),
    meter: metrics.getMeter("whetstone", version),
    flush: async () => {
      await Promise.allSettled([flush(provider), flush(metrics.getMeterProvider())]);
    },
  };
}

async function flush(provider: object): Promise<void> {
  const { forceFlush } = provider as { readonly forceFlush?: () => Promise<void> };
  await forceFlush?.call(provider);
}
