import { createRequire } from "node:module";
import { WhetstoneError } from "../../core/errors.ts";
import { loadPeer } from "../load-peer.ts";
import { nameAllPackages, otlpBackend } from "./otlp-backend.ts";
import { registeredBackend } from "./registered-backend.ts";
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
