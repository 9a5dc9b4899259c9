import { type Load } from "./load.ts";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "./context.ts";
import type { RunReport } from "../../src/report/model.ts";

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

/** A run's report, kept while one goes from page to page, and renewed while the run goes on. */
export function useRun(id: string): Load<RunReport> {
  const { runs } = useApp();
  const [, redraw] = useState(0);
  useEffect(() => runs.follow(id, () => redraw((times) => times + 1)), [id, runs]);
  return runs.get(id);
}
