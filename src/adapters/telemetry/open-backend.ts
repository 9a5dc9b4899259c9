import { createRequire } from "node:module";
import { WhetstoneError } from "../../core/errors.ts";
import { loadPeer } from "../load-peer.ts";
import { nameAllPackages, otlpBackend } from "./otlp-backend.ts";
import type { OtlpPlace, TelemetryBackend } from "./telemetry-backend.ts";

export interface OpenedBackend extends TelemetryBackend {
  readonly api: typeof import("@opentelemetry/api");
}

/** The SDK that this process has registered, or one of our own for the receiver that is named. */
export async function openBackend(otlp: OtlpPlace | undefined): Promise<OpenedBackend> {
  const api = await nameAllPackages(() =>
    loadPeer<typeof import("@opentelemetry/api")>("@opentelemetry/api"),
  );
  const { version } = createRequire(import.meta.url)("whetstone/package.json") as { version: string };
  const scope = { name: "whetstone", version };
  return { ...(registeredBackend(api, scope) ?? (await ownBackend(otlp, scope))), api };
}

async function ownBackend(
  otlp: OtlpPlace | undefined,
  scope: { readonly name: string; readonly version: string },
): Promise<TelemetryBackend> {
  if (otlp !== undefined) return otlpBackend(otlp, scope);
  throw new WhetstoneError(
    "config-invalid",
    '"telemetry" is on, but nobody listens: no OpenTelemetry SDK is registered in this process.',
    {
      hint: "Set OTEL_EXPORTER_OTLP_ENDPOINT, such as http://127.0.0.1:4318, or leave telemetry off.",
    },
  );
}

type Api = typeof import("@opentelemetry/api");

/** The SDK that somebody has registered in this process, such as with `node --import ./telemetry.js`; undefined where there is none. */
function registeredBackend(
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
