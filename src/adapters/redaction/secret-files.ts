import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readPlainText } from "../read-plain-file.ts";
import { judgeName } from "./secret-name.ts";
import { isOrdinaryValue, isUuid, looksRandom } from "./secret-value.ts";
import { allCodingAgents } from "../coding-agents/coding-agents.ts";

/** The files in a project and a home that contain secrets, if they exist. */
export async function findSecretFiles({
  project,
  home,
}: {
  readonly project?: string;
  readonly home?: string;
}): Promise<readonly string[]> {
  const inProject = project === undefined ? [] : await readdir(project).catch(() => []);
  const own = inProject.filter((name) => /^\.env(?:\.|$)|^\.envrc$|^\.(?:npmrc|netrc|pypirc)$/.test(name));
  const candidates = [
    ...own.map((name) => join(project ?? "", name)),
    ...(home === undefined ? [] : credentialFiles.map((name) => join(home, name))),
  ];
  const found = await Promise.all(
    candidates.map(async (path) => {
      const file = await stat(path).catch(() => undefined);
      return file?.isFile() === true && file.size <= largestFile ? [path] : [];
    }),
  );
  return found.flat();
}

const largestFile = 1_000_000;

/** Places where programs keep their credentials. */
const credentialFiles: readonly string[] = [
  ...[
    ".aws/credentials .aws/config .netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf",
    ".git-credentials .config/git/credentials .config/gh/hosts.yml .config/glab-cli/config.yml",
    ".config/gcloud/application_default_credentials.json .config/gcloud/legacy_credentials.json",
    ".azure/accessTokens.json .azure/msal_token_cache.json .docker/config.json .kube/config",
    ".cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties",
    ".terraform.d/credentials.tfrc.json .terraformrc .vault-token .huggingface/token",
    ".cache/huggingface/token .config/op/config .config/hub .databrickscfg .snowflake/config.toml",
    ".config/stripe/config.toml .heroku/credentials .fly/config.yml .config/netlify/config.json",
    ".local/share/com.vercel.cli/auth.json .config/doctl/config.yaml .env .ssh/id_rsa .ssh/id_ed25519",
    ".ssh/id_ecdsa .ssh/id_dsa .config/github-copilot/hosts.json .config/github-copilot/apps.json",
  ].flatMap((line) => line.split(" ")),
  ...allCodingAgents.flatMap(({ secrets }) => secrets),
];

/** The secrets in a file. A file this user can't read is out of reach for their agent too. */
export async function readSecretFile(path: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readPlainText(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "EACCES", "EPERM", "not-found"].includes(code)) return [];
    throw error;
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)) return [text.trim(), ...secretsOfText(text)];
  // a file with one word is a token, as in ~/.vault-token
  const only = text.trim();
  if (/^\S{12,4096}$/.test(only) && !/[={]/.test(only.slice(0, 40))) return [only, ...secretsOfText(text)];
  return secretsOfText(text);
}

/** Values of secret-like names, random-looking values whatever their name, and the passwords in addresses. */
function secretsOfText(text: string): readonly string[] {
  const secrets: string[] = [];
  for (const { name, value } of pairsOf(text)) secrets.push(...secretsOfPair(name, value, true));
  return secrets;
}

/** The secret in a name and value. `anyName`: in a file of secrets, random-looking values count too. */
export function secretsOfPair(name: string, value: string, anyName: boolean): readonly string[] {
  const password = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:([^\s]+)@[^@\s]*$/i.exec(value)?.[1];
  if (password !== undefined) {
    const decoded = decodeSafely(password);
    return [value, password, decoded].filter((each) => !isOrdinaryValue(each));
  }
  const judged = judgeName(name);
  const isSure = judged === "password" || judged === "token";
  const isDrawn = looksRandom(value) && !isNamedId(name, value);
  const isSecret = isSure ? !isOrdinaryValue(value) : (anyName || judged === "maybe") && isDrawn;
  return isSecret ? [value] : [];
}

/** `lastSessionId` and similar: a name for something, such as Claude Code's latest conversation. */
const isNamedId = (name: string, value: string): boolean =>
  /(?:Id|ID|[_-]id|^id)$/.test(name) && isUuid(value);

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Name and value in any common notation: `.env`, INI, TOML, YAML, JSON, XML, netrc. */
function* pairsOf(text: string): Generator<Pair> {
  const json = parseJson(text);
  if (json !== undefined) yield* pairsOfJson("", json);
  // quoted values may span lines
  for (const match of text.matchAll(
    /([\w.:/@-]{1,200})["']?\s{0,4}[=:]\s{0,4}(["'`])((?:\\[\s\S]|(?!\2)[^\\]){1,16384})\2/g,
  )) {
    const [, name = "", , value = ""] = match;
    yield { name, value };
    yield { name, value: value.replaceAll("\\n", "\n").replaceAll(/\\(.)/g, "$1") };
  }
  for (const line of text.split(/\r?\n/)) {
    const pair = /^\s*(?:export\s+|set\s+|-\s+)?([\w.:/@-]{1,200})\s*[=:]\s*(.*)$/.exec(line);
    if (pair !== null) {
      const value = (pair[2] ?? "").trim();
      yield { name: pair[1] ?? "", value };
      // text after a blank and a hash is a comment, unless the hash is part of the value
      yield { name: pair[1] ?? "", value: value.replace(/\s+#.*$/, "").replace(/^(["'`])(.*)\1$/, "$2") };
    }
    for (const match of line.matchAll(/\b(password|account|_authToken|_auth|_password)[\s=]+(\S+)/g))
      yield { name: "password", value: match[2] ?? "" };
    for (const match of line.matchAll(/<(\w*(?:password|passphrase|token|secret)\w*)>([^<]+)</gi))
      yield { name: match[1] ?? "", value: match[2] ?? "" };
    for (const match of line.matchAll(/[a-z][\w+.-]*:\/\/[^\s"']+/g)) yield { name: "", value: match[0] };
    // host:port:database:user:password
    const pgpass = /^[^:\s]+:[\d*]+:[^:]+:[^:]+:(.+)$/.exec(line)?.[1];
    if (pgpass !== undefined) yield { name: "password", value: pgpass };
  }
}

function* pairsOfJson(name: string, value: unknown): Generator<Pair> {
  if (typeof value === "string") yield { name, value };
  else if (Array.isArray(value)) for (const each of value) yield* pairsOfJson(name, each);
  else if (typeof value === "object" && value !== null)
    for (const [key, each] of Object.entries(value)) yield* pairsOfJson(key, each);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
