/** A promise that is awaited later: until then its failure must not count as unhandled. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
