import { seededRandom } from "../../../src/core/random.ts";

/** One secret without a vendor's form, in a text that gives it away to a reader. */
export interface UnmarkedSample {
  readonly kind: string;
  readonly secret: string;
  readonly text: string;
}

/** `each` samples of every kind and wording, all drawn from a seed. */
export function unmarkedSamples(seed: number, each: number): readonly UnmarkedSample[] {
  return Object.entries(kinds).flatMap(([kind, cases]) =>
    cases.flatMap(({ draw, write }, index) =>
      Array.from({ length: each }, (_, at) => {
        const of = drawer(seededRandom("unmarked", seed, kind, index, at));
        const secret = draw(of);
        return { kind, secret, text: write(secret, of) };
      }),
    ),
  );
}

type Drawer = ReturnType<typeof drawer>;

interface Case {
  readonly draw: (of: Drawer) => string;
  readonly write: (secret: string, of: Drawer) => string;
}

const lower = "abcdefghijklmnopqrstuvwxyz";
const letters = lower + lower.toUpperCase();
const digits = "0123456789";

function drawer(random: () => number) {
  const pick = <T>(items: ArrayLike<T>): T => items[Math.floor(random() * items.length)] as T;
  const of = (alphabet: string, length: number): string =>
    Array.from({ length }, () => pick(alphabet)).join("");
  return {
    pick,
    of,
    hex: (length: number) => of("0123456789abcdef", length),
    uuid: () => [8, 4, 4, 4, 12].map((length) => of("0123456789abcdef", length)).join("-"),
    alnum: (length: number) => of(letters + digits, length),
    base64: (bytes: number) => Buffer.from(of("0123456789abcdef", 2 * bytes), "hex").toString("base64"),
    /** As people choose one: a word, a year, a sign. */
    password: () => `${pick(words)}${1950 + Math.floor(random() * 99)}${pick("!$?#%&*")}${of(lower, 1)}`,
    card: () => withLuhn(`${pick(["4539", "5412", "2512", "6011", "3566"])}${of(digits, 11)}`),
    iban: () => withIbanCheck("DE", of(digits, 18)),
  };
}

const words =
  "Sommer Winter Blume Tiger Kaffee Berlin Madrid Paris Mumbai Osaka Luna Sakura Fuego Nuvem".split(" ");

const key = (of: Drawer): string =>
  of.pick([() => of.hex(32), () => of.hex(40), () => of.uuid(), () => of.alnum(40)])();
const password = (of: Drawer): string => of.password();

const told = (passwords: readonly string[], keys: readonly string[]): readonly Case[] => [
  ...passwords.map((text) => ({
    draw: password,
    write: (secret: string) => text.replace("…", () => secret),
  })),
  ...keys.map((text) => ({ draw: key, write: (secret: string) => text.replace("…", () => secret) })),
];

const printed = (command: string): Case => ({
  draw: (of) =>
    of.pick([() => of.hex(32), () => of.hex(64), () => of.uuid(), () => of.alnum(24), () => of.base64(33)])(),
  write: (secret) => `I ran it:\n\n$ ${command}\n${secret}\n$ \nand then it failed.`,
});

const pair = (id: (of: Drawer) => string, draw: Case["draw"]): readonly Case[] => [
  { draw, write: (secret, of) => `${id(of)},${secret}\n` },
  { draw, write: (secret, of) => `[default]\nfirst = ${id(of)}\nsecond = ${secret}\n` },
  { draw, write: (secret, of) => JSON.stringify({ a: id(of), b: secret }) },
  { draw, write: (secret, of) => `Use ${id(of)} with ${secret} for the upload.` },
];

const grouped = (text: string): string => text.replaceAll(/(.{4})(?=.)/g, "$1 ");

const kinds: Readonly<Record<string, readonly Case[]>> = {
  English: told(
    [
      "The password is …, as ever.",
      "password for the admin: …",
      "My password was … before.",
      "The passphrase should be … then",
    ],
    [
      "my weather key is …, use that",
      "The API key is … for now",
      "our billing token is …",
      "the access token: …",
    ],
  ),
  Chinese: told(
    ["密码：…", "数据库密码是…，请不要外传", "管理员的口令为 … 。"],
    ["API密钥是 …", "访问令牌：…"],
  ),
  Spanish: told(
    ["La contraseña es …, no la compartas.", "contraseña: …", "la contraseña del servidor era …"],
    ["la clave de API es …", "clave secreta: …"],
  ),
  Hindi: told(["पासवर्ड … है", "पासवर्ड: …", "डेटाबेस का पासवर्ड है … अभी"], ["कुंजी: …"]),
  Arabic: told(["كلمة المرور هي … الآن", "كلمة السر: …"], ["المفتاح هو …", "مفتاح: …"]),
  Portuguese: told(
    ["A senha é …, certo?", "senha: …", "a senha do banco era … ontem"],
    ["a chave de API é …", "chave secreta: …"],
  ),
  Russian: told(["Пароль: …", "пароль — …", "Пароль от базы: …"], ["ключ API: …", "токен: …"]),
  Japanese: told(
    ["パスワードは…です", "パスワード：…", "管理者のパスワードは「…」です"],
    ["APIキーは … です", "トークン：…"],
  ),
  German: told(
    ["Das Passwort lautet …, bitte ändern.", "Passwort: …", "Kennwort für den Server: …"],
    ["Der API-Schlüssel ist …", "Zugangsschlüssel: …"],
  ),
  French: told(
    ["Le mot de passe est … maintenant", "mot de passe : …", "mdp: …"],
    ["la clé d'API est …", "jeton : …"],
  ),
  "printed by a command":
    "cat token.txt|cat ~/.config/app/secret|gh auth token|kubectl get secret db -o jsonpath={.data.password}|aws secretsmanager get-secret-value --secret-id db --query SecretString|echo $API_TOKEN|printenv DEPLOY_KEY|vault read -field=value secret/db|op read op://dev/db/password|pass show work/db|gcloud auth print-access-token|az account get-access-token --query accessToken|security find-generic-password -w -s db|heroku auth:token|openssl rand -hex 32|oc whoami -t"
      .split("|")
      .map(printed),
  "printed, in JSON": [
    {
      draw: (of) => of.hex(32),
      write: (secret) => JSON.stringify({ type: "tool_result", content: `$ cat token.txt\n${secret}\n$ ` }),
    },
  ],
  "beside a key id": [
    ...pair(
      (of) => `${["AK", "IA"].join("")}${of.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`,
      (of) => of.of(`${letters}${digits}+/`, 40),
    ),
    ...pair(
      (of) => `${["A", "C"].join("")}${of.hex(32)}`,
      (of) => of.hex(32),
    ),
    ...pair(
      (of) => `${["LT", "AI"].join("")}${of.alnum(20)}`,
      (of) => of.alnum(30),
    ),
  ],
  "in a table": [
    { draw: password, write: (secret) => `| user | password |\n|---|---|\n| ann | ${secret} |\n` },
    { draw: password, write: (secret) => `user,password,role\nann,${secret},admin\n` },
    { draw: (of) => of.hex(32), write: (secret) => `name;api token\nci;${secret}\n` },
    { draw: (of) => of.alnum(24), write: (secret) => `service\tsecret\nbilling\t${secret}\n` },
  ],
  "card number": [
    { draw: (of) => of.card(), write: (secret) => `Please charge ${secret} for it.` },
    { draw: (of) => grouped(of.card()), write: (secret) => `The card is ${secret}, valid until 12/29.` },
    { draw: (of) => of.card(), write: (secret) => JSON.stringify({ amount: 12, number: secret }) },
  ],
  IBAN: [
    { draw: (of) => of.iban(), write: (secret) => `Send it to ${secret} please.` },
    { draw: (of) => grouped(of.iban()), write: (secret) => `Konto ${secret}\n` },
  ],
};

function withLuhn(digitsBefore: string): string {
  for (let check = 0; check < 10; check += 1) {
    const all = `${digitsBefore}${check}`;
    const sum = Array.from(all)
      .toReversed()
      .reduce((total, digit, at) => {
        const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2);
        return total + (doubled > 9 ? doubled - 9 : doubled);
      }, 0);
    if (sum % 10 === 0) return all;
  }
  throw new Error("no check digit");
}

function withIbanCheck(country: string, account: string): string {
  const numbers = Array.from(`${account}${country}00`, (each) => Number.parseInt(each, 36)).join("");
  return `${country}${String(98n - (BigInt(numbers) % 97n)).padStart(2, "0")}${account}`;
}
