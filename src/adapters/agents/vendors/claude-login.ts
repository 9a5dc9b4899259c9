import { join } from "node:path";
import type { CliHost, Upstream } from "../agent-cli.ts";
import { recordAt, textAt } from "../event-fields.ts";
import { loginError, loginHeaders, readJsonFile, type StoredLogin } from "../login.ts";

/**
 * An API key from the environment first, then a long-lived token (`claude setup-token`), then the login that `claude
 * /login` left on the host. On macOS that one is in the keychain, which we don't read.
 */
export async function connectClaude(host: CliHost): Promise<Upstream> {
  const { env, settings } = host;
  const baseURL = settings.baseURL ?? "https://api.anthropic.com/v1";
  const key = env[settings.apiKeyEnv ?? "ANTHROPIC_API_KEY"];
  if (key) return { baseURL, pays: "key", headers: async () => ({ "x-api-key": key }) };
  const token = env["CLAUDE_CODE_OAUTH_TOKEN"];
  if (token) return { baseURL, pays: "login", headers: async () => bearer(token) };
  if ((await readLogin(host)) !== undefined) {
    const headers = loginHeaders({
      ...who,
      host,
      read: () => readLogin(host),
      refresh: smallestCall,
      refreshEnv: fewRetries,
    });
    return { baseURL, pays: "login", headers, expiresAt: async () => (await readLogin(host))?.expiresAt };
  }
  if (settings.baseURL !== undefined) return { baseURL, pays: "none", headers: async () => ({}) };
  const keychain = process.platform === "darwin" ? " (the keychain isn't read)" : "";
  throw loginError(who, `isn't logged in${keychain} and ANTHROPIC_API_KEY isn't set`);
}

const who = { agent: "claude-code", login: "claude /login" } as const;

async function readLogin({ env, home }: CliHost): Promise<StoredLogin | undefined> {
  const folder = env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
  const login = recordAt(await readJsonFile(join(folder, ".credentials.json")), "claudeAiOauth");
  const token = textAt(login, "accessToken");
  if (token === "") return undefined;
  const expiresAt = login["expiresAt"];
  return { headers: bearer(token), expiresAt: typeof expiresAt === "number" ? expiresAt : undefined };
}

// the CLI sends the beta header that a login needs, because it knows that it uses one
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const smallestCall = ["-p", "Reply with OK.", "--tools", "", "--max-turns", "1", "--no-session-persistence"];

/** Without a network it would otherwise keep trying for minutes. */
const fewRetries = { CLAUDE_CODE_MAX_RETRIES: "1" };
