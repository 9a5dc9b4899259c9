/** For a promise that is awaited later: until then its failure doesn't count as unhandled. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
