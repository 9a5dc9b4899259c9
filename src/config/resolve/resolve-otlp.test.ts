import { expect, test } from "vitest";
import { resolveOtlp } from "./resolve-otlp.ts";

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";

test("the receiver has a path for each signal, and one of its own where a variable names it", () => {
  expect(resolveOtlp({})).toBeUndefined();
  expect(resolveOtlp({ [endpoint]: "http://127.0.0.1:4318/" })).toEqual({
    traces: "http://127.0.0.1:4318/v1/traces",
    metrics: "http://127.0.0.1:4318/v1/metrics",
  });
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://other/t" };
  expect(resolveOtlp({ [endpoint]: "http://127.0.0.1:4318", ...own })?.traces).toBe("https://other/t");
});

test("what cannot be reached by HTTP is refused", () => {
  expect(() => resolveOtlp({ [endpoint]: "127.0.0.1:4318" })).toThrow("not an http or https address");
  expect(() =>
    resolveOtlp({ [endpoint]: "http://127.0.0.1:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }),
  ).toThrow("goes out by HTTP");
});
