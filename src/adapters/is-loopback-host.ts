/** Whether a host, as an address writes it, is this machine and no other. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);

/** The same of an address. */
export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && isLoopbackHost(new URL(address).hostname);
