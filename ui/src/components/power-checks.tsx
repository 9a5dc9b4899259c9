import type { NewPower } from "../../../src/report/model.ts";
import { plural } from "../format.ts";
import { showText } from "./edit.tsx";
import "./power-checks.css";

/** Each permission has its own checkbox; there isn't one for all of them. Notes are only listed below. */
export function PowerChecks({
  powers,
  seen,
  onSee,
}: {
  readonly powers: readonly NewPower[];
  /** Ids. */
  readonly seen: readonly string[];
  readonly onSee: (seen: readonly string[]) => void;
}) {
  const [asked, notes] = [powers.filter(isAsked), powers.filter((power) => !isAsked(power))];
  return (
    <fieldset class="power-checks">
      <legend>{plural(powers.length, "new permission")}</legend>
      {asked.length > 0 && (
        <p>The new text asks for permissions that the current one doesn't have. Check each one you allow.</p>
      )}
      {asked.map(({ id, does, item, path, line }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={seen.includes(id)}
            onChange={({ currentTarget }) =>
              onSee(currentTarget.checked ? [...seen, id] : seen.filter((one) => one !== id))
            }
          />
          <span>
            {path}, line {line}, {does}: <code>{showText(item)}</code>
          </span>
        </label>
      ))}
      {notes.map(({ id, does, item, path, line }) => (
        <p key={id} class="soft">
          Note: {path}, line {line}, {does}: <code>{showText(item)}</code>
        </p>
      ))}
    </fieldset>
  );
}

/** Whether a person must acknowledge it. */
export const isAsked = ({ rank }: Pick<NewPower, "rank">): boolean => rank === "ask";
