import { byteLength } from "../core/work/estimate-tokens.ts";
import type { StandaloneData } from "./model.ts";

const mount = '<div id="app"></div>';

/** The app with a run's data in it. The data can't end the script tag or begin another. */
export function embedData(app: string, { steps, rollouts, ...data }: StandaloneData): string {
  const scripts = [
    script("whetstone-data", data),
    script("whetstone-steps", steps),
    script("whetstone-rollouts", rollouts),
  ];
  return app.replace(mount, () => [mount, ...scripts].join("\n"));
}

/** The data of a standalone file as text, and the app without it; undefined if they aren't as `embedData` writes them. */
export function takeData(html: string): { readonly data: string; readonly app: string } | undefined {
  const [found, ...more] = html.matchAll(embedded);
  if (found === undefined || more.length > 0) return undefined;
  return { data: found[1] ?? "", app: html.replace(embedded, () => mount) };
}

// what is embedded contains no `<`
const embedded = new RegExp(
  `${mount}\n${["data", "steps", "rollouts"]
    .map((name) => `<script type="application/json" id="whetstone-${name}">([^<]*)</script>`)
    .join("\n")}`,
  "g",
);

/** The size of a value in the file. */
export const embeddedBytes = (value: unknown): number => byteLength(scriptSafe(value));

const script = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${scriptSafe(value)}</script>`;

const scriptSafe = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
