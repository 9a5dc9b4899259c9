import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** The user at the other end of a local connection; undefined if the system doesn't report it. */
export function peerUser({ remotePort = 0, localPort = 0 }: Socket): number | undefined {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
  const peer = new RegExp(
    `^ *\\d+: \\w+:${hex(remotePort)} \\w+:${hex(localPort)} (?:\\S+ +){4}(\\d+) `,
    "m",
  );
  try {
    const found = peer.exec(readFileSync("/proc/net/tcp", "latin1"));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
