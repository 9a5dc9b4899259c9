import { spawn } from "node:child_process";

type Env = Readonly<Record<string, string | undefined>>;

/** Shows a page in the person's browser. The address is an argument, never part of a command line that a shell reads. */
export function openBrowser(url: string, platform: NodeJS.Platform): void {
  const [command, ...args] = opener(platform);
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  // without a browser the printed address remains
  child.on("error", () => {});
  child.unref();
}

/** Whether somebody sits before a screen that this process can reach. */
export function hasDisplay(platform: NodeJS.Platform, env: Env): boolean {
  if (platform === "win32" || platform === "darwin") return !env["SSH_CONNECTION"];
  return Boolean(env["DISPLAY"]) || Boolean(env["WAYLAND_DISPLAY"]);
}

function opener(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  // `start` is a word of the shell
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
