import { join } from "node:path";
import type { CliHost, Upstream } from "../agent-cli.ts";
import { recordAt, textAt } from "../event-fields.ts";
import { loginError, loginHeaders, readJsonFile, type StoredLogin } from "../login.ts";

/** An API key from the environment first, then the ChatGPT login or key that `codex login` left on the host. */
export async function connectCodex(host: CliHost): Promise<Upstream> {
  const { env, settings } = host;
  const api = settings.baseURL ?? "https://api.openai.com/v1";
  const stored = await readJsonFile(loginFile(host));
  const ownKey = env[settings.apiKeyEnv ?? "OPENAI_API_KEY"] || env["CODEX_API_KEY"];
  if (ownKey) return { baseURL: api, pays: "key", headers: async () => bearer(ownKey) };
  if (readLogin(stored) !== undefined) {
    const read = async () => readLogin(await readJsonFile(loginFile(host)));
    const headers = loginHeaders({ ...who, host, read, refresh: smallestCall });
    const baseURL = settings.baseURL ?? "https://chatgpt.com/backend-api/codex";
    return { baseURL, pays: "login", headers, expiresAt: async () => (await read())?.expiresAt };
  }
  const storedKey = textAt(stored, "OPENAI_API_KEY");
  if (storedKey !== "") return { baseURL: api, pays: "key", headers: async () => bearer(storedKey) };
  if (settings.baseURL !== undefined) return { baseURL: api, pays: "none", headers: async () => ({}) };
  throw loginError(who, "isn't logged in and OPENAI_API_KEY isn't set");
}

const who = { agent: "codex", login: "codex login" } as const;

const loginFile = ({ env, home }: CliHost): string =>
  join(env["CODEX_HOME"] || join(home, ".codex"), "auth.json");

function readLogin(stored: unknown): StoredLogin | undefined {
  const tokens = recordAt(stored, "tokens");
  const token = textAt(tokens, "access_token");
  if (token === "") return undefined;
  const account = textAt(tokens, "account_id");
  return {
    headers: { ...bearer(token), ...(account === "" ? {} : { "chatgpt-account-id": account }) },
    expiresAt: readExpiry(token),
  };
}

/** The token is a JWT with its own expiry. */
function readExpiry(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const seconds = (claims as { readonly exp?: unknown } | null)?.exp;
    return typeof seconds === "number" ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const smallestCall = ["exec", "--skip-git-repo-check", "--ephemeral", "-s", "read-only", "Reply with OK."];
