import { useEffect, useState } from "preact/hooks";
import { useApp } from "./context.ts";
import type { Load } from "./load.ts";
import type { RunReport, RunOverview } from "../../src/report/model.ts";

/** Loads when `key` changes; a late answer to an older key is dropped. */
export function useLoad<T>(key: string, load: () => Promise<T>): Load<T> {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly load: Load<T> }>();
  useEffect(() => {
    let current = true;
    const settle = (result: Load<T>) => {
      if (current) setLoaded({ key, load: result });
    };
    load().then(
      (value) => settle({ state: "ready", value }),
      (error: unknown) => settle({ state: "failed", error }),
    );
    return () => {
      current = false;
    };
  }, [key]);
  return loaded?.key === key ? loaded.load : { state: "loading" };
}

/** A run's report, kept from page to page and reloaded while the run is going. */
export function useRun(id: string): Load<RunReport> {
  const { runs } = useApp();
  const [, redraw] = useState(0);
  useEffect(() => runs.follow(id, () => redraw((times) => times + 1)), [id, runs]);
  return runs.get(id);
}

/** How often the list reloads while a run is going or there are none yet; otherwise it reloads on focus. */
const pauseMs = 5000;

export function useRuns(): Load<readonly RunOverview[]> {
  const { source } = useApp();
  const [load, setLoad] = useState<Load<readonly RunOverview[]>>({ state: "loading" });
  const isLive =
    load.state === "ready" &&
    (load.value.length === 0 || load.value.some(({ status }) => status === "running"));
  useEffect(() => {
    let current = true;
    const read = () =>
      source.runs().then(
        (value) => current && setLoad({ state: "ready", value }),
        (error: unknown) =>
          current && setLoad((known) => (known.state === "ready" ? known : { state: "failed", error })),
      );
    const timer = isLive && source.kind === "server" ? setInterval(() => void read(), pauseMs) : undefined;
    const onFocus = () => void read();
    if (load.state === "loading") void read();
    if (source.kind === "server") addEventListener("focus", onFocus);
    return () => {
      current = false;
      clearInterval(timer);
      removeEventListener("focus", onFocus);
    };
  }, [source, isLive]);
  return load;
}
