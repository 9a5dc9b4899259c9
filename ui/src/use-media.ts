import { useEffect, useState } from "preact/hooks";

/** Whether a media query holds, now and after the window changed. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setMatches(list.matches);
    follow();
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, [query]);
  return matches;
}

/** Whether the page is as narrow as a phone's: then what stands in columns elsewhere stands in lines. */
export const useNarrow = (): boolean => useMedia("(max-width: 720px)");
