import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asyncProperty, assert as check, constantFrom, string } from "fast-check";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import { createRedactor } from "./create-redactor.ts";

// built from parts: no scanner should take this file for a leak
const part = (...pieces: readonly string[]): string => pieces.join("");
const github = part("gh", "p_", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx");
const password = 'tr0ub4dor&"3/x+Y';

const clean = async (redactor: Redactor, text: string): Promise<string> => (await redactor.redact(text)).text;
const unaided = await createRedactor({ env: {} });

test("equal secrets get equal placeholders over all texts of one redactor", async () => {
  const redactor = await createRedactor({ env: { DB_PASSWORD: password } });
  expect(await redactor.redact(`use ${github}, or ${password}, then ${github}`)).toEqual({
    text: "use «SECRET:github:1», or «SECRET:known:1», then «SECRET:github:1»",
    found: [
      { kind: "github", placeholder: "«SECRET:github:1»" },
      { kind: "known", placeholder: "«SECRET:known:1»" },
      { kind: "github", placeholder: "«SECRET:github:1»" },
    ],
  });
  expect(await clean(redactor, `token: ${github}`)).toBe("token: «SECRET:github:1»");
});

test("a known value is found in every escape, and split over lines", async () => {
  const redactor = await createRedactor({ env: { DB_PASSWORD: password } });
  const json = JSON.stringify(password).slice(1, -1);
  const wrapped = Buffer.from(`user-with-a-long-name:${password}:and-what-follows`).toString("base64");
  for (const form of [
    password,
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll("/", "\\/"),
    json.replaceAll("&", "\\u0026"),
    encodeURIComponent(password),
    encodeURIComponent(password).replaceAll(/%../g, (escaped) => escaped.toLowerCase()),
    encodeURIComponent(encodeURIComponent(password)),
    password.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
    ...[0, 1, 2, 3].map((before) => Buffer.from("x".repeat(before) + password).toString("base64")),
    ...[0, 1, 2, 3].map((before) => Buffer.from("x".repeat(before) + password).toString("base64url")),
    Buffer.from(password).toString("hex"),
    `${password.slice(0, 7)}\n${password.slice(7)}`,
    `${password.slice(0, 7)}\\\n    ${password.slice(7)}`,
    `${password.slice(0, 7)}" +\n  "${password.slice(7)}`,
    `${password.slice(0, 7)}\n    12→${password.slice(7)}`,
    `${json.slice(0, 7)}\\n  ${json.slice(7)}`,
    wrapped.replaceAll(/(.{20})/g, "$1\n"),
  ]) {
    const text = await clean(redactor, `before ${form} after`);
    expect(text, form).toContain("«SECRET:known:1»");
    expect(text.replaceAll("«SECRET:known:1»", ""), form).not.toMatch(
      /tr0ub|dor|\+Y|dHIwd|yMHVi|RyMHVi|x%2b/i,
    );
    expect(text, form).toMatch(/^before .*after$/s);
  }
});

test("short and ordinary values of secret-like names are no secrets", async () => {
  const redactor = await createRedactor({
    env: {
      API_TOKEN: "true",
      AUTH_SECRET: "development",
      DB_PASSWORD: "postgres",
      SECRET_FILE_TOKEN: "/run/secrets/token",
      SESSION_TOKEN: "12345678",
      PATH_TOKEN: "http://localhost:3000",
      OTHER_TOKEN: "${OTHER}",
      EDITOR: "a-very-strange-editor-93842",
    },
  });
  const text =
    "true development postgres /run/secrets/token 12345678 http://localhost:3000 ${OTHER} a-very-strange-editor-93842";
  expect(await clean(redactor, text)).toBe(text);
});

test("known values come from .env files, credential files and what is passed in", async () => {
  const [project, home] = [await tempDir(), await tempDir()];
  const random = "f4K9s0Lq2Vb7";
  const files: Record<string, string> = {
    [join(project, ".env.local")]:
      `export DB_PASS='${random}a!'\nPLAIN=hello\nDATABASE_URL=postgres://app:${random}b@db/main\n`,
    [join(home, ".aws/credentials")]:
      `[default]\naws_access_key_id = x\naws_secret_access_key = ${random}c/d+e\n`,
    [join(home, ".netrc")]: `machine example.org login me password ${random}d\n`,
    [join(home, ".npmrc")]: `//registry.example.org/:_authToken=${random}e\n`,
    [join(home, ".config/gh/hosts.yml")]: `github.com:\n    oauth_token: ${random}f\n`,
    [join(home, ".claude/.credentials.json")]: JSON.stringify({ oauth: { accessToken: `${random}g` } }),
    [join(home, ".codex/auth.json")]: JSON.stringify({ tokens: { refresh_token: `${random}h` } }),
    [join(home, ".vault-token")]: `${random}i\n`,
    [join(home, ".pgpass")]: `db:5432:main:me:${random}j\n`,
    [join(home, ".git-credentials")]: `https://me:${random}k@github.com\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const redactor = await createRedactor({ env: {}, project, home, values: [`${random}z`] });
  for (const end of ["a!", "b", "c/d+e", "d", "e", "f", "g", "h", "i", "j", "k", "z"])
    expect(await clean(redactor, `it said ${random}${end} again`), end).toMatch(
      /^it said «SECRET:known:\d+» again$/,
    );
  expect(await clean(redactor, "hello, github.com and example.org")).toBe(
    "hello, github.com and example.org",
  );
});

test("fault 21: what the original's patterns miss is taken out", async () => {
  for (const secret of [
    part("gl", "pat-", "x7Kd93mfLq02Vb8sTz5a"),
    part("h", "f_", "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"),
    part("np", "m_", "a8Kd93mfLq02Vb8sTz5aQw71ErTyUiOpAsDf"),
    part(
      "github",
      "_pat_",
      "11ABCDEFG0a8Kd93mfLq02_Vb8sTz5aQw71ErTyUiOpAsDfa8Kd93mfLq02Vb8sTz5aQw71ErTyUiOpAsDf",
    ),
    part("AS", "IA", "Y3FDGQ7XK2LMN4PQ"),
  ]) {
    expect(await clean(unaided, `I pasted ${secret} there`)).toMatch(/^I pasted «SECRET:[a-z]+:\d+» there$/);
  }
  expect(await clean(unaided, "postgres://app:s3cr3t@db.internal/main")).toMatch(
    /^postgres:\/\/app:«SECRET:uri:\d+»@db\.internal\/main$/,
  );
});

test("assignments, headers and options give their values away in every notation", async () => {
  for (const [before, secret, after] of [
    ['{"password": "', "hunter2!", '"}'],
    ['{\\"password\\": \\"', 'hun\\\\\\"ter2!', '\\"}'],
    ["password: ", "hunter2!", "\nnext: line"],
    ["password: |\n  ", "hunter2!x", "\nnext: line"],
    ["export DB_PASSWORD=", "correcthorsebatterystaple", "\n"],
    ["config['secret_key'] = '", "a8Kd93mfLq02", "'"],
    ["Authorization: Basic ", Buffer.from("me:hunter2").toString("base64"), "\nHost: x"],
    ["-H 'Authorization: Token ", "a8Kd93mfLq02", "'"],
    ["Cookie: theme=dark; sid=", "a8Kd93mfLq02Vb8sTz5aQw71", "; x=y"],
    ["login --password ", "hunter2!x", " --yes"],
    ["<password>", "hunter2!", "</password>"],
    ["the password is ", "Hunter2!x", ", as ever"],
    ["curl -u me:", "hunter2", " https://x.org"],
    ["?page=1&api_key=", "a8Kd93mfLq02", "&x=1"],
  ] as const) {
    const text = await clean(unaided, before + secret + after);
    expect(text.startsWith(before) && text.endsWith(after), text).toBe(true);
    expect(text.slice(before.length, text.length - after.length)).toMatch(/^«SECRET:[a-z]+:\d+»$/);
  }
});

test("what looks drawn is a secret wherever it stands; a hash, an id, a file or a word is none", async () => {
  const drawn = "q7Rk2ZpX9mTf4LbW8sVn";
  const hex = "9f8e7d6c5b4a39281706f5e49f8e7d6c01";
  for (const secret of [drawn, part("quux", "_live_", "a8Kd93mfLq02Vb"), part("quux", "_", hex)])
    for (const write of [
      (word: string) => word,
      (word: string) => `first\n${word}\nlast`,
      (word: string) => `| prod | ${word} |`,
      (word: string) => `run(["login", "${word}"])`,
      (word: string) => JSON.stringify({ out: JSON.stringify({ value: word }) }),
    ])
      expect(await clean(await createRedactor({ env: {} }), write(secret)), write(secret)).toBe(
        write("«SECRET:entropy:1»"),
      );
  for (const line of [
    `id: "${drawn}"`,
    `sha512-${drawn}${drawn}==`,
    `https://docs.example.org/d/${drawn}/edit`,
    `data:image/png;base64,${drawn}${drawn}`,
    `toolu_${drawn}`,
    `index-${drawn}.js`,
    `commit ${hex}`,
    `fix_${hex}`,
    "isResp2SubscriberModeEnabled and Experimental_TranscriptionModelV4StreamOptions",
    "QmFzZTY0IGVuY29kaW5nIGlzIGZ1bg==",
    "pod/web-7d4b9c6f5d-x2x9z, test-0b5f2d9e-6c1a-4d7e-9a52-0c4f7c9d1e11 and i-0abcd1234ef5678901",
    "test_2024_01_15_restores_backup_7_of_12",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Kd93mfLq02Vb8sTz5aQw71ErTyUiOpAsDf me",
  ])
    expect(await clean(unaided, line)).toBe(line);
});

test("a line of a block of base64 is no secret, a line by itself is one", async () => {
  const line = "q7Rk2ZpX9mTf4LbW8sVn+q7Rk2ZpX9mTf4LbW8sVn/Yc3Hd6Jg1Kt5PvQ0xN2wE8";
  const block = `${line}\n${line.slice(8)}01234567\n`;
  expect(await clean(unaided, block)).toBe(block);
  expect(await clean(await createRedactor({ env: {} }), `${line}\n`)).toBe("«SECRET:entropy:1»\n");
});

test("what a command printed is a secret also where its form says nothing", async () => {
  const hex = "9f8e7d6c5b4a39281706f5e49f8e7d6c";
  for (const command of [
    "cat token.txt",
    "gh auth token",
    "kubectl get secret db -o yaml",
    "vault read secret/db",
  ])
    expect(
      await clean(await createRedactor({ env: {} }), `$ ${command}\n${hex}\n$ ls\n${hex.slice(1)}`),
    ).toMatch(
      new RegExp(`^\\$ ${command.replaceAll(/[.]/g, "\\$&")}\n«SECRET:[a-z]+:1»\n\\$ ls\n${hex.slice(1)}$`),
    );
  const quoted = JSON.stringify({ content: `$ cat token.txt\n${hex}\n$ ` });
  expect(await clean(await createRedactor({ env: {} }), quoted)).not.toContain(hex);
  expect(await clean(unaided, `$ git rev-parse HEAD\n${hex}01234567\n`)).toBe(
    `$ git rev-parse HEAD\n${hex}01234567\n`,
  );
});

test("the neighbour of a key's id and the cells under a telling head are secrets", async () => {
  const secret = "abcdefghijABCDEFGHIJ/abcdefghij+ABCDEFG7";
  const id = part("AK", "IA", "Y3FDGQ7XK2LMN4PQ");
  expect(await clean(await createRedactor({ env: {} }), `${id},${secret}`)).toBe(
    "«SECRET:aws:1»,«SECRET:pair:1»",
  );
  expect(await clean(unaided, `see ${secret}`)).toBe(`see ${secret}`);
  for (const [before, after] of [
    ["| user | password |\n|---|---|\n| ann | ", " |"],
    ["user,password\nann,", "\n"],
  ])
    expect(await clean(await createRedactor({ env: {} }), `${before}blue42moon${after}`)).toBe(
      `${before}«SECRET:assignment:1»${after}`,
    );
  const table = "| token | count |\n|---|---|\n| the | 42 |\n| of | 1017 |";
  expect(await clean(unaided, table)).toBe(table);
});

test("card numbers and IBANs are told by their check digits", async () => {
  expect(await clean(unaided, "card 4539 5787 6362 1486, to DE89 3704 0044 0532 0130 00.")).toBe(
    "card «SECRET:card:1», to «SECRET:iban:1».",
  );
  expect(await clean(unaided, "4539578763621486")).toBe("«SECRET:card:2»");
  for (const line of [
    "4539 5787 6362 1487",
    "DE89 3704 0044 0532 0130 01",
    "4242 4242 4242 4242",
    "378282246310005",
    "1700000000000000",
    "0.4539578763621486",
    "id 14539578763621486",
  ])
    expect(await clean(unaided, line)).toBe(line);
});

test("what an assignment gave away is known from then on", async () => {
  const redactor = await createRedactor({ env: {} });
  await redactor.redact("DB_PASSWORD=hunter2!xyz");
  expect(await clean(redactor, "then it asked and I typed hunter2!xyz")).toBe(
    "then it asked and I typed «SECRET:assignment:1»",
  );
});

test("a comment in the text does not switch the search off", async () => {
  const text = await clean(
    unaided,
    `<!-- secretlint-disable -->\nkey ${part("S", "G.a8Kd93mfLq02Vb8sTz5aQw.Vb8sTz5aQw71ErTyUiOpAsDfa8Kd93mfLq02Vb8sTz5")}`,
  );
  expect(text).toMatch(/«SECRET:sendgrid:\d+»$/);
});

test("a private key is one secret, also without its end", async () => {
  const [open, body, close] = [
    part("-----BEGIN ", "PRIVATE", " KEY-----"),
    "MIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB",
    part("-----END ", "PRIVATE", " KEY-----"),
  ];
  expect(await clean(unaided, `a\n${open}\n${body}\n${close}\nb`)).toMatch(/^a\n«SECRET:[a-z-]+:\d+»\nb$/);
  expect(await clean(unaided, `a\\n${open}\\n${body.replace("\n", "\\n")}\\n${close}\\nb`)).toMatch(
    /^a\\n«SECRET:[a-z-]+:\d+»\\nb$/,
  );
  expect(await clean(unaided, `a\n${open}\n${body}`)).toMatch(/^a\n«SECRET:[a-z-]+:\d+»$/);
});

test("placeholders survive a second pass, and their numbers are not given to other secrets", async () => {
  const text = `token: ${github}\nAuthorization: Bearer ${github}\npostgres://u:pw12@h\nPASSWORD="abc123!x"`;
  const once = await clean(await createRedactor({ env: {} }), text);
  expect(once).not.toMatch(/pw12|abc123|ghp/);
  const later = await createRedactor({ env: {} });
  expect(await clean(later, once)).toBe(once);
  expect(await clean(later, github.replace("wWPw", "aBcD"))).toBe("«SECRET:github:2»");
});

test("a token between letters is found all the same", async () => {
  expect(await clean(unaided, `a1${github}password: `)).not.toContain(github);
});

test("whatever is done twice is done once, and a known value never comes through", async () => {
  const piece = constantFrom(
    password,
    github,
    encodeURIComponent(password),
    "password: ",
    '"',
    "\\",
    "\n",
    "=",
    "://u:",
    "@h ",
    "token=",
    "«SECRET:known:1»",
    "a1",
    " ",
  );
  const redactor = await createRedactor({ env: { DB_PASSWORD: password } });
  await check(
    asyncProperty(string({ unit: piece, maxLength: 24 }), async (text) => {
      const once = await clean(redactor, text);
      expect(once).not.toContain(password);
      expect(once).not.toContain(github);
      expect(once).not.toContain(encodeURIComponent(password));
      expect(await clean(redactor, once)).toBe(once);
    }),
    { numRuns: 400 },
  );
});

test("a text that cannot be looked at is not let through", async () => {
  const broken = {
    get length() {
      throw new Error("the text");
    },
  } as unknown as string;
  await expect(unaided.redact(broken)).rejects.toThrow();
  await expect(unaided.redact(undefined as unknown as string)).rejects.toThrow();
});

test("nothing is kept of the texts that were looked through", async () => {
  const before = performance.getEntries().length;
  for (let text = 0; text < 20; text += 1) await unaided.redact(`text ${text}`);
  expect(performance.getEntries().length).toBe(before);
});
