import { isAbsolute } from "node:path";
import { WhetstoneError } from "../../../core/errors.ts";
import type { Destinations } from "../../../config/trust/find-destinations.ts";
import { notConsented } from "../../../config/trust/guard-imports.ts";
import { newDestinations, sendText, stateOfFiles } from "../../../run/trust/differences.ts";
import { type Trust, projectMemory } from "../../../run/trust/memory.ts";
import { requireWord } from "../../../run/word.ts";
import { codeText, type RunFlags, type SurveyedConfig, surveyConfig } from "../read-config.ts";
import { plural } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";

export interface TrustFlags extends RunFlags {
  readonly yes: boolean;
  /** Show what is allowed and what has changed, without running anything. */
  readonly show: boolean;
  readonly forget: boolean;
}

/** `whetstone trust` */
export async function trustCommand(flags: TrustFlags, io: Io): Promise<void> {
  const memory = projectMemory(io.cwd);
  const { trust } = memory.read();
  if (flags.forget) {
    await memory.write({ trust: undefined });
    if (flags.json) return io.printJson({ trusted: false });
    return io.print("Revoked. Nothing here runs unattended.");
  }
  if (flags.show) return showTrust(trust, flags.json, io);
  const surveyed = await surveyConfig(flags, io);
  if (!(await allowUnattended(surveyed, flags, io))) return io.print("\nNothing was allowed.");
  if (flags.json)
    return io.printJson({
      trusted: true,
      files: Object.fromEntries(surveyed.files),
      sends: surveyed.sends,
    });
  io.print("\nAllowed. If any of it changes, unattended runs stop until you type this again.");
}

/** Shows what would run and where it would send, and asks, unless that was allowed before. */
export async function allowUnattended(
  surveyed: SurveyedConfig,
  { yes, json }: Pick<TrustFlags, "yes" | "json">,
  io: Io,
): Promise<boolean> {
  const { trust } = projectMemory(io.cwd).read();
  if (!json) io.print(trustLines(surveyed, trust, io).join("\n"));
  if (isSame(surveyed, trust)) return true;
  if (!yes && io.prompt === undefined) throw noTerminal();
  if (!yes && !(await isAnsweredYes("\nAllow that? [y/N] > ", io))) return false;
  await writeTrust(surveyed, io);
  return true;
}

const noTerminal = (): WhetstoneError =>
  new WhetstoneError("usage", "There's nobody here to ask.", {
    hint: "Add --yes to allow it without asking.",
  });

/** Stores the consent for what was found, with the time it was given. */
export const writeTrust = ({ files, sends }: SurveyedConfig, io: Io): Promise<void> =>
  projectMemory(io.cwd).write({
    trust: {
      at: Date.now(),
      files: Object.fromEntries(files),
      sends: plainSends(sends),
    },
  });

/** Whether a consent covers all that was found. */
const isSame = ({ files, sends }: SurveyedConfig, trust: Trust | undefined): boolean =>
  trust !== undefined &&
  [...files].every(([path, hash]) => trust.files[path] === hash) &&
  newDestinations(sends, trust.sends).length === 0;

/** Lists the code and the hosts of unattended commands, and whether each was allowed before. */
export function trustLines(
  { files, sends }: SurveyedConfig,
  trust: Trust | undefined,
  io: Io,
): readonly string[] {
  const stateOf = (path: string): string => {
    const known = trust?.files[path];
    return known === undefined ? "new" : known === files.get(path) ? "same" : "changed";
  };
  const states = ["new", "changed", "same"].flatMap((state) => {
    const some = [...files.keys()].filter((path) => stateOf(path) === state).toSorted();
    return some.length === 0 ? [] : [`  ${state.padEnd(8)} ${codeText(some, io)}`];
  });
  return [
    files.size === 0
      ? "Unattended runs (scheduled nights, --unattended) use no code of this folder."
      : `Unattended runs (scheduled nights, --unattended) run ${plural(files.size, "file")} of this folder:`,
    ...states,
    ...sendLines(sends, trust),
  ];
}

/** Hosts, and the environment variables sent to each. */
function sendLines(sends: Destinations, trust: Trust | undefined): readonly string[] {
  const hosts = Object.entries(sends);
  if (hosts.length === 0) return ["They send nothing, as far as the config names models."];
  const isNew = (host: string, names: readonly string[]) =>
    newDestinations({ [host]: names }, trust?.sends ?? {}).length > 0;
  return [
    "They send to:",
    ...hosts.map(
      ([host, names]) =>
        `  ${(isNew(host, names) ? "new" : "same").padEnd(8)} ${isAbsolute(host) ? "the journal in " : ""}${host}${names.length === 0 ? "" : ` with ${names.join(" or ")}`}`,
    ),
  ];
}

function showTrust(trust: Trust | undefined, json: boolean, io: Io): void {
  const states = stateOfFiles(trust ?? { files: {} });
  if (json)
    return io.printJson({ trusted: trust !== undefined, at: trust?.at, files: states, sends: trust?.sends });
  if (trust === undefined) return io.print("Nothing is allowed here yet; `whetstone trust` asks for it.");
  io.print(
    [
      `Allowed on ${new Date(trust.at).toISOString().slice(0, 10)}. Changes since then (nothing was run to find them):`,
      ...["changed", "gone", "same"].flatMap((state) => {
        const some = Object.keys(states).filter((path) => states[path] === state);
        return some.length === 0 ? [] : [`  ${state.padEnd(8)} ${codeText(some, io)}`];
      }),
      ...Object.entries(trust.sends).map(([host, names]) => `  ${sendText(host, names)}`),
    ].join("\n"),
  );
}

/** Conversations only go where the person has agreed to send them. */
export async function confirmSends(
  sends: Destinations,
  { typed = [] }: Pick<RunFlags, "typed">,
  io: Io,
): Promise<void> {
  const memory = projectMemory(io.cwd);
  const { trust } = memory.read();
  const changes = newDestinations(sends, trust?.sends ?? {});
  if (changes.length === 0) return;
  if (io.prompt === undefined) throw notConsented(changes, typed);
  await requireWord("whetstone trust");
  io.print(`You haven't allowed this before: ${changes.join("; ")}.`);
  if (!(await isAnsweredYes("Allow that? [y/N] > ", io))) throw notConsented(changes, typed);
  await memory.write({
    trust: { at: Date.now(), files: trust?.files ?? {}, sends: { ...trust?.sends, ...plainSends(sends) } },
  });
}

const plainSends = (sends: Destinations): Trust["sends"] =>
  Object.fromEntries(Object.entries(sends).map(([host, names]) => [host, [...names]]));

export async function isAnsweredYes(question: string, { prompt }: Io): Promise<boolean> {
  const said = await prompt?.ask(question);
  return said?.trim().toLowerCase().startsWith("y") === true;
}
