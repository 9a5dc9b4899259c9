import { useEffect, useState } from "preact/hooks";

export type ThemeChoice = "auto" | "light" | "dark";
export type Theme = "light" | "dark";

const storageKey = "whetstone-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export function chosenTheme(): ThemeChoice {
  const choice = readStored();
  return choice === "light" || choice === "dark" ? choice : "auto";
}

/** `auto` follows the system. */
export function chooseTheme(choice: ThemeChoice): void {
  try {
    localStorage.setItem(storageKey, choice);
  } catch {
    // a page from disk may have no storage; the choice then lasts as long as the page
  }
  applyTheme(choice);
}

export function applyTheme(choice: ThemeChoice): void {
  if (choice === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = choice;
  dispatchEvent(new Event("whetstone-theme"));
}

/** What is shown now; charts draw with it. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme);
  useEffect(() => {
    const follow = () => setTheme(currentTheme());
    addEventListener("whetstone-theme", follow);
    system.addEventListener("change", follow);
    return () => {
      removeEventListener("whetstone-theme", follow);
      system.removeEventListener("change", follow);
    };
  }, []);
  return theme;
}

function currentTheme(): Theme {
  const choice = document.documentElement.dataset["theme"];
  if (choice === "light" || choice === "dark") return choice;
  return system.matches ? "dark" : "light";
}

function readStored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
