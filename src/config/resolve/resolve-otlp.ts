import type { OtlpPlace } from "../../adapters/telemetry/telemetry-backend.ts";
import { WhetstoneError } from "../../core/errors.ts";

/**
 * The receiver that the usual variables name; undefined where they name none. Those for one signal alone are taken
 * as they are, as OpenTelemetry has it.
 */
export function resolveOtlp(env: Readonly<Record<string, string | undefined>>): OtlpPlace | undefined {
  const base = env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  if (!base) return undefined;
  if (env["OTEL_EXPORTER_OTLP_PROTOCOL"] === "grpc") {
    throw new WhetstoneError(
      "config-invalid",
      "OTEL_EXPORTER_OTLP_PROTOCOL is grpc; telemetry goes out by HTTP.",
      {
        hint: "Name the receiver's HTTP port, usually 4318, and set OTEL_EXPORTER_OTLP_PROTOCOL=http/json.",
      },
    );
  }
  const root = base.replace(/\/+$/, "");
  const place = {
    traces: env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || `${root}/v1/traces`,
    metrics: env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] || `${root}/v1/metrics`,
  };
  for (const url of Object.values(place)) {
    if (/^https?:/.test(url) && URL.canParse(url)) continue;
    throw new WhetstoneError("config-invalid", "The OTLP endpoint is not an http or https address.", {
      hint: "Correct OTEL_EXPORTER_OTLP_ENDPOINT, such as http://127.0.0.1:4318",
    });
  }
  return place;
}
