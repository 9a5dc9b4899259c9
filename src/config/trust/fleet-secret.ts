import { WhetstoneError } from "../../core/errors.ts";

/** The variable that holds what coordinators and workers of one fleet know, and nobody else. */
const variable = "WHETSTONE_FLEET_SECRET";

const leastLength = 32;
/** A word that is repeated is no secret. */
const leastDifferent = 8;

export function readFleetSecret(env: Readonly<Record<string, string | undefined>>): string {
  const secret = env[variable]?.trim() ?? "";
  if (secret.length >= leastLength && new Set(secret).size >= leastDifferent) return secret;
  const what =
    secret === ""
      ? `Coordinators and workers know one another by a secret, and ${variable} is not set.`
      : `${variable} is too easy to guess: ${leastLength} characters or more, by chance, are a secret.`;
  throw new WhetstoneError("config-invalid", what, {
    hint: `Make one with \`openssl rand -hex 32\`, export it as ${variable} on every machine of the fleet, and start the command again.`,
  });
}
