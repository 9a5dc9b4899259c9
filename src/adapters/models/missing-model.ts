import { nearestWord } from "../../core/nearest-word.ts";
import { endpoints } from "./endpoints.ts";
import type { Failure } from "./failure.ts";
import { type Diagnosis, type ServerPlace, hostOf } from "./server-place.ts";
import { own } from "../../core/own.ts";

/** A model that the server has not, with those that it has if it tells; undefined where the refusal is about something else. */
export function findMissingModel(
  models: readonly string[] | undefined,
  { status, said, message }: Failure,
  place: ServerPlace,
): Diagnosis | undefined {
  const { provider, name } = place;
  const missing = (what: string, has: string, instead: string | undefined): Diagnosis => ({
    fault: "model-missing",
    sentence: `${hostOf(place)} has no ${what} "${name}"${has}.`,
    instead: instead && `${provider}/${instead}`,
    hint: loadHint(place, instead),
  });
  // Azure lists what could be deployed, and wants the name of what is
  if (/DeploymentNotFound/.test(said))
    return missing("deployment", ` (${message})`, "<name of a deployment there>");
  if (models === undefined)
    return status === 404 && /model/i.test(said)
      ? missing("model", ` (${message})`, "<name of a model there>")
      : undefined;
  if (models.some((one) => [name, `${name}:latest`, `models/${name}`].includes(one))) return undefined;
  const chats = models.filter((one) => !/embed|rerank|whisper|tts/i.test(one));
  const instead = likeliest(name, chats);
  if (instead === undefined) return missing("model", "; it has none", undefined);
  const shown = [...new Set([instead, ...chats])].slice(0, mostShown);
  const more = chats.length > shown.length ? ` and ${chats.length - shown.length} more` : "";
  return missing("model", `; it has ${shown.join(", ")}${more}`, instead);
}

const mostShown = 8;

/** The one that was meant, if the name is near one; else the first. */
function likeliest(name: string, models: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const within = models.find((one) => plain(one).includes(plain(name)) || plain(name).includes(plain(one)));
  return within ?? nearestWord(name, models) ?? models[0];
}

function loadHint({ provider, name }: ServerPlace, instead: string | undefined): string | undefined {
  const load = own(endpoints, provider)?.load;
  if (load !== undefined) return `\`${load} ${name}\` loads it there.`;
  return instead === undefined ? "Load one there, then start the same command again." : undefined;
}
