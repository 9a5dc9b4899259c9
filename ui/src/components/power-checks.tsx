import type { NewPower } from "../../../src/report/model.ts";
import { plural } from "../format.ts";
import { showText } from "./edit.tsx";
import "./power-checks.css";

/** Each is acknowledged by itself; there is no box for all of them. */
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
  return (
    <fieldset class="power-checks">
      <legend>{plural(powers.length, "new power")}</legend>
      <p>After this an agent could do what it cannot do now. Check each one that you mean.</p>
      {powers.map(({ id, does, item, path, line }) => (
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
    </fieldset>
  );
}
