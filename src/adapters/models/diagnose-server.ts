import { isLoopbackHost } from "../is-loopback-host.ts";
import { endpoints } from "./endpoints.ts";
import type { Failure } from "./failure.ts";
import { type Api, findApi } from "./find-api.ts";
import { findProxyFault, refusedOnTheWay } from "./proxy-fault.ts";
import { type Diagnosis, type ServerPlace, anyAddress, baseOf, hostOf } from "./server-place.ts";
import { findTlsFault } from "./tls-fault.ts";
import { own } from "../../core/own.ts";
import { nearestWord } from "../../core/nearest-word.ts";

/**
 * Diagnoses a failed first call. If the failure isn't clear, asks the server for its models, at its address and at
 * paths people often forget. Undefined if the usual next step is right.
 */
export async function diagnoseServer(
  failure: Failure,
  place: ServerPlace,
  signal: AbortSignal,
): Promise<Diagnosis | undefined> {
  const { status, page } = failure;
  const onTheWay =
    (status === undefined ? await findProxyFault(failure, place, signal) : undefined) ??
    (await findTlsFault(failure, place, signal));
  if (onTheWay !== undefined) return onTheWay;
  if (status === undefined) {
    const code = failure.codes.find((one) => nobodyThere.test(one));
    if (code === undefined) return undefined;
    const sentence = `nothing is listening at ${hostOf(place)} (${code}).`;
    return { sentence, hint: startHint(place) };
  }
  if (status === 401) return { hint: `export ${place.keyVariable}=<a key that ${hostOf(place)} accepts>` };
  if (status >= 300 && status < 400) return findRedirect(failure, place);
  // an API refuses with JSON
  if (status === 407 || (page !== undefined && (status === 403 || status === 451)))
    return refusedOnTheWay(place, { status, words: page ?? "" });
  const isHere = status < 300 || status === 404 || status === 405;
  // other refusals are about the request, unless they are about the model
  if (!isHere && !(status < 429 && /model|deployment/i.test(failure.said))) return undefined;
  return diagnosePath(failure, place, await findApi(baseOf(place), place, signal));
}

const nobodyThere = /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Diagnoses an answer that didn't come from a chat model. */
function diagnosePath(failure: Failure, place: ServerPlace, api: Api | undefined): Diagnosis | undefined {
  const { status = 0, page, message, said } = failure;
  const { baseURL, added } = place;
  if (api !== undefined && api.base !== baseOf(place)) {
    const address = api.base.slice(0, api.base.length - added.length);
    return {
      fault: "wrong-path",
      sentence: `there's no API at ${baseURL} (${message}), but there's one at ${address}.`,
      hint: place.giveAddress(address),
    };
  }
  // it is the API, and its message says what is missing
  const isAboutModel = page === undefined && /model|deployment/i.test(said);
  const isApi = api !== undefined || failure.insideSuccess || isAboutModel;
  if (isApi) return findMissingModel(api?.models, failure, place);
  if (status < 300 && !failure.isForeign) return undefined;
  const isPage = page !== undefined && /<[a-z!]/i.test(said);
  return {
    fault: isPage ? "web-page" : "not-an-openai-server",
    sentence: isPage
      ? `${baseURL} returned a web page (HTTP ${status}): "${page}".`
      : `${baseURL} doesn't answer like an OpenAI-compatible server (${message}).`,
    hint: place.giveAddress(anyAddress),
  };
}

/** We don't follow redirects: the key would be sent there too, and a POST would become a GET. */
function findRedirect({ status, headers, url }: Failure, place: ServerPlace): Diagnosis | undefined {
  const { location } = headers;
  if (location === undefined || url === undefined) return undefined;
  const target = new URL(location, url);
  const there = `${target.origin}${target.pathname}`;
  const [operation = ""] = url.slice(baseOf(place).length).split("?", 1);
  const tail = `${place.added}${operation}`;
  const isSame = operation !== "" && there.endsWith(tail);
  return {
    fault: "redirected",
    sentence: `${place.baseURL} redirects calls to ${there} (HTTP ${status}), and we don't follow redirects.`,
    hint: place.giveAddress(isSame ? there.slice(0, there.length - tail.length) : anyAddress),
  };
}

function startHint(place: ServerPlace): string {
  const { hostname, origin } = new URL(place.baseURL);
  const elsewhere = `If it's elsewhere: ${place.giveAddress(anyAddress)}`;
  if (!isLoopbackHost(hostname))
    return `Run the same command again once ${origin} can be reached. ${elsewhere}`;
  const start = own(endpoints, place.provider)?.start;
  const how = start === undefined ? `usual ports: ${usualPorts}` : `\`${start}\``;
  return `Start the server at ${origin} (${how}), then run the same command again. ${elsewhere}`;
}

const usualPorts = Object.entries(endpoints)
  .flatMap(([name, { start, baseURL }]) => (start === undefined ? [] : `${name} ${new URL(baseURL).port}`))
  .join(", ");

/** A missing model, with the models the server lists. Undefined if the refusal is about something else. */
function findMissingModel(
  models: readonly string[] | undefined,
  { status, said, message }: Failure,
  place: ServerPlace,
): Diagnosis | undefined {
  const { provider, name } = place;
  const missing = (what: string, has: string, instead: string | undefined): Diagnosis => ({
    fault: "model-missing",
    sentence: `${hostOf(place)} doesn't have a ${what} "${name}"${has}.`,
    instead: instead && `${provider}/${instead}`,
    hint: loadHint(place, instead),
  });
  // Azure lists models that could be deployed, but needs the name of an existing deployment
  if (/DeploymentNotFound/.test(said))
    return missing("deployment", ` (${message})`, "<name of a deployment there>");
  if (models === undefined)
    return status === 404 && /model/i.test(said)
      ? missing("model", ` (${message})`, "<name of a model there>")
      : undefined;
  if (models.some((one) => [name, `${name}:latest`, `models/${name}`].includes(one))) return undefined;
  const chats = models.filter((one) => !/embed|rerank|whisper|tts/i.test(one));
  const instead = likeliest(name, chats);
  if (instead === undefined) return missing("model", "; it doesn't have any", undefined);
  const shown = [...new Set([instead, ...chats])].slice(0, mostShown);
  const more = chats.length > shown.length ? ` and ${chats.length - shown.length} more` : "";
  return missing("model", `; it has ${shown.join(", ")}${more}`, instead);
}

const mostShown = 8;

/** The model most likely meant: one with a similar name, else the first. */
function likeliest(name: string, models: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const within = models.find((one) => plain(one).includes(plain(name)) || plain(name).includes(plain(one)));
  return within ?? nearestWord(name, models) ?? models[0];
}

function loadHint({ provider, name }: ServerPlace, instead: string | undefined): string | undefined {
  const load = own(endpoints, provider)?.load;
  if (load !== undefined) return `\`${load} ${name}\` loads it there.`;
  return instead === undefined ? "Load one there, then run the same command again." : undefined;
}
