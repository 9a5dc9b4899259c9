import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ReportSource, RunReport } from "../../src/report/model.ts";
import { createRunStore } from "./run-store.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A run that is read; `read` may throw. */
function scriptedSource(read: () => "running" | "stopped" | "done") {
  const counts = { reads: 0 };
  const source = {
    kind: "server",
    run: async (id: string) => {
      counts.reads += 1;
      return { overview: { id, status: read() } } as unknown as RunReport;
    },
  } as unknown as ReportSource;
  return { source, counts };
}

test("a live run is read again and again, and no longer when it has ended", async () => {
  let status: "running" | "done" = "running";
  const { source, counts } = scriptedSource(() => status);
  createRunStore(source).follow("a", () => {});
  await vi.advanceTimersByTimeAsync(2000);
  expect(counts.reads).toBe(2);
  status = "done";
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts.reads).toBe(3);
});

test("a live run that nobody looks at is not read", async () => {
  const { source, counts } = scriptedSource(() => "running");
  const stop = createRunStore(source).follow("a", () => {});
  await vi.advanceTimersByTimeAsync(2000);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts.reads).toBe(2);
});

test("what was read stays when a later reading fails", async () => {
  let works = true;
  const { source } = scriptedSource(() => {
    if (!works) throw new Error("the server is gone");
    return "done";
  });
  const store = createRunStore(source);
  store.follow("a", () => {});
  await vi.advanceTimersByTimeAsync(0);
  works = false;
  await store.refresh("a");
  expect(store.get("a").state).toBe("ready");
  store.follow("b", () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(store.get("b").state).toBe("failed");
});

test("a finished run is read once, however often one comes back to it", async () => {
  const { source, counts } = scriptedSource(() => "done");
  const store = createRunStore(source);
  store.follow("a", () => {})();
  await vi.advanceTimersByTimeAsync(0);
  store.follow("a", () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(counts.reads).toBe(1);
});

test("a stopped run may have been started again, so it is read whenever one comes back to it", async () => {
  let status: "stopped" | "running" = "stopped";
  const { source } = scriptedSource(() => status);
  const store = createRunStore(source);
  store.follow("a", () => {})();
  await vi.advanceTimersByTimeAsync(0);
  status = "running";
  store.follow("a", () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(store.get("a")).toMatchObject({ value: { overview: { status: "running" } } });
});
