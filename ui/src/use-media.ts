import { useEffect, useState } from "preact/hooks";

/** Whether a media query matches. It follows the window. */
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

/** Whether the page is as narrow as a phone: columns then become lines. */
export const useNarrow = (): boolean => useMedia("(max-width: 720px)");
