import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { ReportSource } from "../../src/report/model.ts";
import { type Place, parsePlace } from "./router.ts";
import type { RunStore } from "./run-store.ts";

/** What every page reads from. */
export interface App {
  readonly source: ReportSource;
  readonly runs: RunStore;
  /** What a standalone file leaves out, as a sentence. */
  readonly note: string;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("no app around this component");
  return app;
}

/** Where one is, following the address. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parsePlace(hash);
}

/** Another address without a new entry in the history: filters, the open row. */
export function replacePlace(link: string): void {
  history.replaceState(null, "", link);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
