import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { ReportSource } from "../../src/report/model.ts";
import { type Place, parsePlace } from "./router.ts";
import type { RunStore } from "./run-store.ts";

/** The data that every page reads. */
export interface App {
  readonly source: ReportSource;
  readonly runs: RunStore;
  /** A sentence that says what a standalone file leaves out. */
  readonly note: string;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("no app around this component");
  return app;
}

/** The current place in the app. It follows the address. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parsePlace(hash);
}

/** Changes the address without adding a history entry, for filters and the open row. */
export function replacePlace(link: string): void {
  history.replaceState(null, "", link);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
