import { spawn } from "node:child_process";

type Env = Readonly<Record<string, string | undefined>>;

/** Opens a page in the person's browser. The address is an argument, never part of a shell command. */
export function openBrowser(url: string, platform: NodeJS.Platform): void {
  const [command, ...args] = opener(platform);
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  // without a browser, the person can still use the printed address
  child.on("error", () => {});
  child.unref();
}

/** Whether this process can reach a person's screen. */
export function hasDisplay(platform: NodeJS.Platform, env: Env): boolean {
  if (platform === "win32" || platform === "darwin") return !env["SSH_CONNECTION"];
  return Boolean(env["DISPLAY"]) || Boolean(env["WAYLAND_DISPLAY"]);
}

function opener(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  // `start` is a shell built-in
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
