import { byteLength } from "../core/estimate-tokens.ts";
import type { StandaloneData } from "./model.ts";

const mount = '<div id="app"></div>';

/** The app with a run's data in it. Nothing in the data can end the script tag or begin another. */
export function embedData(app: string, data: StandaloneData): string {
  const script = `<script type="application/json" id="whetstone-data">${scriptSafe(data)}</script>`;
  return app.replace(mount, () => `${mount}\n${script}`);
}

/** What a value takes in the file. */
export const embeddedBytes = (value: unknown): number => byteLength(scriptSafe(value));

const scriptSafe = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
