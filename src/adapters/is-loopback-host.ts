/** Whether a host, as an address writes it, is this machine and no other. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
