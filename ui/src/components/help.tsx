import { useEffect, useRef } from "preact/hooks";

const keys = [
  ["j or ↓", "next row of a list"],
  ["k or ↑", "previous row"],
  ["Home, End", "first and last row"],
  ["Enter", "open the row"],
  ["/", "search"],
  ["g", "go to the list of runs"],
  ["?", "this help"],
  ["Esc", "close, or leave the search"],
] as const;

export function openHelp(): void {
  document.querySelector<HTMLDialogElement>("dialog.help")?.showModal();
}

/** The keys that work on every page, and the list of them. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <dialog class="help" ref={dialog} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
    if (event.key === "Escape" && isTyping(event.target)) (event.target as HTMLElement).blur();
    return;
  }
  if (document.querySelector("dialog[open]") !== null) return;
  const act = actions[event.key];
  if (act?.() === true) event.preventDefault();
}

/** What a key does when no list has the focus; true when it did something. */
const actions: Readonly<Record<string, () => boolean>> = {
  "?": () => {
    openHelp();
    return true;
  },
  "/": () => focusFirst("[data-search]"),
  g: () => {
    location.hash = "#/runs";
    return true;
  },
  j: () => focusList(),
  k: () => focusList(),
};

function focusList(): boolean {
  return document.activeElement?.closest("[data-list]") === null
    ? focusFirst("[data-list] [tabindex='0']")
    : false;
}

function focusFirst(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) || isTextField(target));

const isTextField = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
