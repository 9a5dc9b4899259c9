import { WhetstoneError } from "../../core/errors.ts";

/** The variable with the secret that only one fleet's coordinators and workers share. */
const variable = "WHETSTONE_FLEET_SECRET";

const leastLength = 32;
/** A repeated word isn't a secret. */
const leastDifferent = 8;

export function readFleetSecret(env: Readonly<Record<string, string | undefined>>): string {
  const secret = env[variable]?.trim() ?? "";
  if (secret.length >= leastLength && new Set(secret).size >= leastDifferent) return secret;
  const what =
    secret === ""
      ? `Coordinators and workers recognize each other by a secret, but ${variable} isn't set.`
      : `${variable} is too easy to guess: use at least ${leastLength} random characters.`;
  throw new WhetstoneError("config-invalid", what, {
    hint: `Make one with \`openssl rand -hex 32\`, export it as ${variable} on every machine in the fleet, then run the command again.`,
  });
}
