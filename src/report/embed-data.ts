import { byteLength } from "../core/work/estimate-tokens.ts";
import type { StandaloneData } from "./model.ts";

const mount = '<div id="app"></div>';

/** The app with a run's data in it. Nothing in the data can end the script tag or begin another. */
export function embedData(app: string, { steps, rollouts, ...data }: StandaloneData): string {
  const scripts = [
    script("whetstone-data", data),
    script("whetstone-steps", steps),
    script("whetstone-rollouts", rollouts),
  ];
  return app.replace(mount, () => [mount, ...scripts].join("\n"));
}

/** What a value takes in the file. */
export const embeddedBytes = (value: unknown): number => byteLength(scriptSafe(value));

const script = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${scriptSafe(value)}</script>`;

const scriptSafe = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
