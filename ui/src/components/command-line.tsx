import { useState } from "preact/hooks";

/** A command to type, with a button that copies it. */
export function CommandLine({ command }: { readonly command: string }) {
  const [said, setSaid] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => setSaid("copied"),
      () => setSaid("couldn't copy; select the text instead"),
    );
  return (
    <p class="command-line">
      <code>{command}</code>{" "}
      <button type="button" onClick={() => void copy()} aria-label={`Copy: ${command}`}>
        Copy
      </button>{" "}
      <span role="status" class="soft">
        {said}
      </span>
    </p>
  );
}
