import type { TelemetryBackend } from "./telemetry-backend.ts";

type Api = typeof import("@opentelemetry/api");

/** The SDK that somebody has registered in this process, such as with `node --import ./telemetry.js`; undefined where there is none. */
export function registeredBackend(
  { trace, metrics, ProxyTracerProvider }: Api,
  scope: { readonly name: string; readonly version: string },
): TelemetryBackend | undefined {
  const registered = trace.getTracerProvider();
  const provider = registered instanceof ProxyTracerProvider ? registered.getDelegate() : registered;
  const nobody = new ProxyTracerProvider().getDelegate();
  if (provider === nobody) return undefined;
  return {
    tracer: trace.getTracer(scope.name, scope.version),
    meter: metrics.getMeter(scope.name, scope.version),
    async close() {
      // a command ends its process soon, and what waits in a batch would be lost
      await Promise.allSettled([flush(provider), flush(metrics.getMeterProvider())]);
      return [];
    },
  };
}

async function flush(provider: object): Promise<void> {
  const { forceFlush } = provider as { readonly forceFlush?: () => Promise<void> };
  await forceFlush?.call(provider);
}
