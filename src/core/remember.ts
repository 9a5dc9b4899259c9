/** Caches a function's values for the most recent texts. */
export function remember<V>(most: number, make: (text: string) => V): (text: string) => V {
  const kept = new Map<string, V>();
  return (text) => {
    const value = kept.get(text) ?? make(text);
    kept.delete(text);
    kept.set(text, value);
    const [oldest = text] = kept.keys();
    if (kept.size > most) kept.delete(oldest);
    return value;
  };
}
