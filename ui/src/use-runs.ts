import { useEffect, useState } from "preact/hooks";
import type { RunOverview } from "../../src/report/model.ts";
import { useApp } from "./context.ts";
import type { Load } from "./load.ts";

/** While something runs, or nothing has yet, the list is read again this often; else when one comes back to the page. */
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
