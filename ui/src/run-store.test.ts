import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ReportSource, RunReport } from "../../src/report/model.ts";
import { createRunStore } from "./run-store.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A run that is read and watched; `read` may throw. */
function scriptedSource(read: () => "running" | "stopped" | "done") {
  const counts = { reads: 0, watched: 0 };
  let tell = () => {};
  const source = {
    run: async (id: string) => {
      counts.reads += 1;
      return { overview: { id, status: read() } } as unknown as RunReport;
    },
    watch: (_: string, onEvent: () => void) => {
      counts.watched += 1;
      tell = onEvent;
      return () => {
        counts.watched -= 1;
        tell = () => {};
      };
    },
  } as unknown as ReportSource;
  return { source, counts, tell: () => tell() };
}

test("a live run is read again after events, a burst of them once, and no longer when it has ended", async () => {
  let status: "running" | "done" = "running";
  const { source, counts, tell } = scriptedSource(() => status);
  const store = createRunStore(source);
  store.follow("a", () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(counts).toEqual({ reads: 1, watched: 1 });
  for (let event = 0; event < 50; event += 1) tell();
  status = "done";
  await vi.advanceTimersByTimeAsync(1000);
  expect(counts).toEqual({ reads: 2, watched: 0 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts.reads).toBe(2);
});

test("a run that sends nothing is still read again: it may have been killed", async () => {
  const { source, counts } = scriptedSource(() => "running");
  const stop = createRunStore(source).follow("a", () => {});
  await vi.advanceTimersByTimeAsync(31_000);
  expect(counts.reads).toBe(3);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts).toEqual({ reads: 3, watched: 0 });
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
