/** Whether a host, as written in an address, is only this machine. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);

/** The host to name in a result. A server on this machine may get another port each time, so we leave its port out. */
export function answeringHost(address: string): string {
  const { host, hostname } = new URL(address);
  return isLoopbackHost(hostname) ? hostname : host;
}

/** Whether an address is on this machine. */
export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && isLoopbackHost(new URL(address).hostname);
