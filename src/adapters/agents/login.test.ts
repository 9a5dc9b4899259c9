import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { InfraError } from "../../core/errors.ts";
import type { CliHost } from "./agent-cli.ts";
import { connectClaude } from "./vendors/claude-login.ts";
import { connectCodex } from "./vendors/codex-login.ts";

let home: string;
beforeEach(async () => {
  home = await tempDir();
});

const host = (more: Partial<CliHost> = {}): CliHost => ({
  env: { PATH: "/usr/bin:/bin" },
  home,
  settings: {},
  model: "m",
  program: "/bin/false",
  ...more,
});

function write(path: string, content: unknown): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o700 });
}

const claudeLogin = (accessToken: string, expiresAt: number) => ({
  claudeAiOauth: { accessToken, expiresAt, refreshToken: "r" },
});
const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
const hour = 3_600_000;

describe("claude", () => {
  test("a key in the environment comes first", async () => {
    write(".claude/.credentials.json", claudeLogin("token", Date.now() + hour));
    const upstream = await connectClaude(host({ env: { ANTHROPIC_API_KEY: "sk-1" } }));
    expect(upstream).toMatchObject({ pays: "key", baseURL: "https://api.anthropic.com/v1" });
    expect(await upstream.headers()).toEqual({ "x-api-key": "sk-1" });
  });

  test("the host's login is used as it stands", async () => {
    write(".claude/.credentials.json", claudeLogin("token", Date.now() + hour));
    const upstream = await connectClaude(host());
    expect(upstream.pays).toBe("login");
    expect(await upstream.headers()).toEqual({ authorization: "Bearer token" });
  });

  test("an expired login is refreshed by the CLI itself, once for all who wait", async () => {
    write(".claude/.credentials.json", claudeLogin("old", Date.now() - 1));
    const fresh = JSON.stringify(claudeLogin("new", Date.now() + hour));
    write(
      "claude",
      `#!/bin/sh\necho run >> "$HOME/runs"\nsleep 0.2\necho '${fresh}' > "$HOME/.claude/.credentials.json"\n`,
    );
    const program = join(home, "claude");
    const upstreams = await Promise.all([connectClaude(host({ program })), connectClaude(host({ program }))]);
    const headers = await Promise.all(upstreams.flatMap((one) => [one.headers(), one.headers()]));
    expect(headers).toEqual(Array.from({ length: 4 }, () => ({ authorization: "Bearer new" })));
    expect(readFileSync(join(home, "runs"), "utf8")).toBe("run\n");
  });

  test("a login that stays expired is refused with the way back", async () => {
    write(".claude/.credentials.json", claudeLogin("old", Date.now() - 1));
    const upstream = await connectClaude(host());
    const error = await upstream.headers().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(InfraError);
    expect(error).toMatchObject({ class: "refused", hint: "Log in: claude /login" });
  });

  test("nothing at all is refused; a server of one's own may ask for nothing", async () => {
    await expect(connectClaude(host())).rejects.toMatchObject({ class: "refused" });
    const upstream = await connectClaude(host({ settings: { baseURL: "http://127.0.0.1:1/v1" } }));
    expect(upstream).toMatchObject({ pays: "none", baseURL: "http://127.0.0.1:1/v1" });
  });
});

describe("codex", () => {
  test("a ChatGPT login goes to its own backend with the account", async () => {
    const access_token = jwt({ exp: (Date.now() + hour) / 1000 });
    write(".codex/auth.json", { OPENAI_API_KEY: null, tokens: { access_token, account_id: "acc" } });
    const upstream = await connectCodex(host());
    expect(upstream).toMatchObject({ pays: "login", baseURL: "https://chatgpt.com/backend-api/codex" });
    expect(await upstream.headers()).toEqual({
      authorization: `Bearer ${access_token}`,
      "chatgpt-account-id": "acc",
    });
  });

  test("the token tells its own end", async () => {
    write(".codex/auth.json", { tokens: { access_token: jwt({ exp: 1 }), account_id: "acc" } });
    const upstream = await connectCodex(host());
    await expect(upstream.headers()).rejects.toMatchObject({
      hint: "Log in: codex login",
    });
  });

  test("a key in its login file is a key", async () => {
    write(".codex/auth.json", { OPENAI_API_KEY: "sk-file" });
    const upstream = await connectCodex(host());
    expect(upstream).toMatchObject({ pays: "key", baseURL: "https://api.openai.com/v1" });
    expect(await upstream.headers()).toEqual({ authorization: "Bearer sk-file" });
  });

  test("a damaged login file is no login", async () => {
    write(".codex/auth.json", "{");
    await expect(connectCodex(host())).rejects.toMatchObject({ class: "refused" });
  });
});
