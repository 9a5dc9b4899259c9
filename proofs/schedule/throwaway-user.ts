import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A user of this machine that is gone afterwards, and a `crontab` for PATH that means this user's. Needs root. */
export interface ThrowawayUser {
  readonly name: string;
  /** A folder with the real crontab under its usual name, for this user. */
  readonly bin: string;
  /** Bytes of its crontab; undefined when it has none. */
  crontab(): Buffer | undefined;
  setCrontab(text: Buffer): void;
  end(): void;
}

export function throwawayUser(folder: string): ThrowawayUser {
  if (process.getuid?.() !== 0)
    throw new Error("this proof makes a user and takes it away again: run it as root");
  const name = `whetstone-${process.pid}`;
  const crontab = execFileSync("/bin/sh", ["-c", "command -v crontab"]).toString().trim();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "crontab"), `#!/bin/sh\nexec ${crontab} -u ${name} "$@"\n`);
  chmodSync(join(bin, "crontab"), 0o755);
  execFileSync("useradd", ["--no-create-home", "--home-dir", folder, "--shell", "/bin/sh", name]);
  const run = (words: readonly string[], input: Buffer = Buffer.alloc(0)) =>
    execFileSync(crontab, ["-u", name, ...words], { input, stdio: ["pipe", "pipe", "ignore"] });
  return {
    name,
    bin,
    crontab() {
      try {
        return run(["-l"]);
      } catch {
        return undefined;
      }
    },
    setCrontab: (text) => void run(["-"], text),
    end() {
      try {
        run(["-r"]);
      } catch {
        // it had none
      }
      execFileSync("userdel", ["--force", name], { stdio: "ignore" });
    },
  };
}
