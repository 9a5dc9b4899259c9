import type { Failure } from "./failure.ts";
import { askApi } from "./find-api.ts";
import { type Diagnosis, type ServerPlace, baseOf, hostOf } from "./server-place.ts";

/** Diagnoses a certificate that isn't accepted, or the wrong scheme. */
export async function findTlsFault(
  failure: Failure,
  place: ServerPlace,
  signal: AbortSignal,
): Promise<Diagnosis | undefined> {
  const hasCode = (pattern: RegExp) => failure.codes.some((code) => pattern.test(code));
  if (isPlainToTls(failure)) return wrongScheme(place, "https:");
  if (hasCode(noTls) && (await speaks("http:", place, signal))) return wrongScheme(place, "http:");
  if (hasCode(badCertificate)) return refusedCertificate(failure, place);
  if (hasCode(closedAtOnce) && (await speaks("https:", place, signal))) return wrongScheme(place, "https:");
  return undefined;
}

const noTls = /^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST))$/;
const badCertificate =
  /^(?:CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+|EPROTO)$/;
const closedAtOnce = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_\w+)$/;

/** Answers of TLS servers to a call without TLS. */
const isPlainToTls = ({ status, said }: Failure): boolean =>
  status === 400 && /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server/i.test(said);

function refusedCertificate({ codes, message }: Failure, place: ServerPlace): Diagnosis {
  const [, name] = /altnames:? .*?DNS:([\w.-]+)/.exec(message) ?? [];
  const meant = new URL(place.baseURL);
  if (name !== undefined) meant.hostname = name;
  return {
    fault: "tls-failed",
    sentence: `the certificate of ${hostOf(place)} isn't accepted (${message}).`,
    hint: codes.includes("CERT_HAS_EXPIRED")
      ? "Renew it on the server, then run the same command again."
      : name === undefined
        ? "export NODE_EXTRA_CA_CERTS=<file with the certificate of its issuer, as PEM>"
        : place.giveAddress(meant.href),
  };
}

type Scheme = "http:" | "https:";

function wrongScheme(place: ServerPlace, scheme: Scheme): Diagnosis {
  const [spoken, asked] = scheme === "http:" ? ["plain HTTP", "HTTPS"] : ["HTTPS", "plain HTTP"];
  return {
    fault: "tls-failed",
    sentence: `${hostOf(place)} uses ${spoken}, but was called with ${asked}.`,
    hint: place.giveAddress(place.baseURL.replace(/^https?:/, scheme)),
  };
}

/** Whether a server there uses this scheme. No key is sent. */
async function speaks(scheme: Scheme, place: ServerPlace, signal: AbortSignal): Promise<boolean> {
  let isSpoken = false;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    try {
      const response = await place.fetch(input, init);
      isSpoken = true;
      return response;
    } catch (error) {
      const { code = "" } = ((error as Error).cause ?? {}) as { readonly code?: string };
      // an untrusted certificate still proves that TLS is used
      isSpoken = scheme === "https:" && badCertificate.test(code) && !noTls.test(code);
      throw error;
    }
  };
  await askApi(baseOf(place).replace(/^https?:/, scheme), { headers: {}, fetch }, signal);
  return isSpoken;
}
