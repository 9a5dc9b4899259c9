import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { findSuspects } from "./suspects.ts";

const part = (...pieces: readonly string[]): string => pieces.join("");
const clean = async (text: string): Promise<string> =>
  (await (await createRedactor({ env: {} })).redact(text)).text;

/** `told`: a sentence and the secret in it. `innocent`: sentences about passwords and keys that hold none. */
const sentences = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../test/support/secrets/spoken.json"), "utf8"),
) as { readonly told: readonly (readonly [string, string])[]; readonly innocent: readonly string[] };

const nebel = "hunter-Nebel-42";
const sturm = "Sturm-Nebel-42!";
const aws = part("AK", "IAQ7XLT3MZPW5RNB2E");
const awsSecret = "8fKx2LmQvR9tYz4WcN7bHjP1sDgE6uA0oXiVw3Ck";

/** The audit's 24 probes: what is said, and what of it has to stay here. Nobody promises to find names of people. */
const probes: readonly (readonly [said: string, ...secrets: readonly string[]])[] = [
  [`AWS key if you need it: ${aws} / ${awsSecret}`, aws, awsSecret],
  [`aws_access_key_id ${aws}\naws_secret_access_key ${awsSecret}`, aws, awsSecret],
  [`the password is also used for the admin UI: ${nebel}, don't write it down anywhere`, nebel],
  [`the admin password, in case you need it: ${nebel}`, nebel],
  [`pw for staging is ${nebel}`, nebel],
  [`the pass for the vpn changed, now it is ${nebel}`, nebel],
  [`log in as admin with ${nebel}`, nebel],
  [`das neue Passwort für Staging lautet ${nebel}`, nebel],
  [`Zugang: admin / ${nebel}`, nebel],
  ["the pin is 4711", "4711"],
  [`the password is ${nebel}`, nebel],
  [`password ${nebel}`, nebel],
  [`das Passwort ist ${sturm}`, sturm.slice(0, -1)],
  [`Passwort: ${sturm}`, sturm.slice(0, -1)],
  [`密码是 ${sturm}`, sturm.slice(0, -1)],
  [`密码：${sturm}`, sturm.slice(0, -1)],
  [`mot de passe : ${sturm}`, sturm.slice(0, -1)],
  [`login with admin / ${sturm}`, sturm.slice(0, -1)],
  [
    `use this key ${part("4f9a8b7c6d5e4f3a", "2b1c0d9e8f7a6b5c")} for the staging api`,
    part("4f9a8b7c6d5e4f3a", "2b1c0d9e8f7a6b5c"),
  ],
  [`curl -u admin:${sturm} https://x.example`, sturm],
  ["mysql -u root -pSturmNebel42 shop", "SturmNebel42"],
  [`our internal token is ${part("ldg_", "9fJ2kLmQ8vR3tYz7WcN5bHjP")}`, "9fJ2kLmQ8vR3tYz7WcN5bHjP"],
  ["my SSN is 078-05-1120, card 4111 1111 1111 1111", "078-05-1120"],
  ["IBAN DE89 3704 0044 0532 0130 00, call Anna Schmidt +49 170 1234567", "DE89 3704 0044 0532 0130 00"],
];

test.each(probes)("a secret in prose stays here: %s", async (said, ...secrets) => {
  const text = await clean(said);
  for (const secret of secrets) expect(text).not.toContain(secret);
});

test("a password is found wherever it stands in its sentence, in the languages of the redaction", async () => {
  for (const [text, secret] of sentences.told) expect(await clean(text), text).not.toContain(secret);
});

test("what sounds like a password is known from then on, and what could be a name is not", async () => {
  const redactor = await createRedactor({ env: {} });
  await redactor.redact(`the password, as ever: ${nebel}. Reset the password of robot-cleaner-7 too.`);
  const { text } = await redactor.redact(`I typed ${nebel} for robot-cleaner-7.`);
  expect(text).toBe("I typed «SECRET:assignment:1» for robot-cleaner-7.");
});

test("a key is not taken on suspicion, but a person is shown it", async () => {
  const text = "the token, as agreed: nebel-hunter-42, and the header is x-team";
  expect(await clean(text)).toBe(text);
  expect(findSuspects(text).map(({ start, end }) => text.slice(start, end))).toEqual(["nebel-hunter-42"]);
});

test("sentences about passwords, without one: hardly any loses a word", async () => {
  const changed: string[] = [];
  for (const sentence of sentences.innocent) if ((await clean(sentence)) !== sentence) changed.push(sentence);
  expect(sentences.innocent.length).toBeGreaterThanOrEqual(60);
  expect(changed).toEqual([]);
});

test("without a word for a secret nothing is taken that was not taken before", async () => {
  for (const sentence of [
    `our cat is called ${nebel}`,
    "deploy release-2026-Nebel-42 to staging on Friday",
    "the branch is feature/Sturm-Nebel-42",
    "4711 orders came in since 8021",
    "call robot-cleaner-7, it runs Blue42-Moon",
    "Regen#Tag9 is the hash tag of the year",
    `const place = "Sturm-Nebel-42";`,
  ])
    expect(await clean(sentence)).toBe(sentence);
  // the next sentence is another one
  const apart = "The password field is new. The release is called hunter-Nebel-42.";
  expect(await clean(apart)).toBe(apart);
  const code = `if (password) { return setState("Step-3-Done", { pin: 4711 }); }`;
  expect(await clean(code)).toBe(code);
});
