import type { Wished } from "../../../src/core/rules/rule.ts";
import { showText } from "./edit.tsx";
import "./wish-view.css";

/** One wish: when the person said it, an occasion, and the effect of the rule. */
export function WishView({
  wish: { sentence, said, wordings, example, memory = [] },
}: {
  readonly wish: Wished;
}) {
  return (
    <div class="wish">
      <p>{sentence}</p>
      {example !== undefined && <Example example={example} />}
      <details>
        <summary>Every time</summary>
        <ul class="quotes">
          {said.map(({ text, date, agent }, at) => (
            <li key={at}>
              {date}, {agent}{" "}
              {text === "" ? <span class="soft">text no longer kept</span> : <q>{showText(text)}</q>}
            </li>
          ))}
        </ul>
      </details>
      {memory.map((text) => (
        <p key={text}>{showText(text)}</p>
      ))}
      {wordings.map((text) => (
        <p key={text}>
          <span class="soft">In your own words:</span> <q>{showText(text)}</q>
        </p>
      ))}
    </div>
  );
}

const Example = ({
  example: { date, agent, asked, did, said, withRule },
}: {
  readonly example: NonNullable<Wished["example"]>;
}) => (
  <div class="scene">
    <dl>
      <Line name={`${date}, you asked`} text={asked} />
      <Line name={`${agent} did`} text={did} />
      <Line name="you said" text={said} />
    </dl>
    {withRule !== undefined && (
      <dl class="with-rule">
        <Line name="asked again, with the rule" text={withRule.asked} />
        <Line name="it did" text={withRule.did} />
      </dl>
    )}
  </div>
);

const Line = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <dt class="soft">{name}</dt>
    <dd>{showText(text)}</dd>
  </>
);
