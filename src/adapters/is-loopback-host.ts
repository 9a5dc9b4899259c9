/** Whether a host, as an address writes it, is this machine and no other. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);

/** The host that a result names. A server on this machine may get another port with each start, so its port is left out. */
export function answeringHost(address: string): string {
  const { host, hostname } = new URL(address);
  return isLoopbackHost(hostname) ? hostname : host;
}

/** Whether an address is on this machine. */
export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && isLoopbackHost(new URL(address).hostname);
