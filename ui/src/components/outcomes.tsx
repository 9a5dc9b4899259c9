import type { ComponentChildren } from "preact";

/** Two sides compared task by task: a bar of shares, and the counts in words. */
export function Outcomes({
  wins,
  losses,
  ties,
  share = 1,
  children,
}: {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** The bar's share of the width, next to other bars. */
  readonly share?: number;
  readonly children?: ComponentChildren;
}) {
  const parts = [
    { name: "up", value: wins, tone: "good", sign: "▲" },
    { name: "equal", value: ties, tone: "even", sign: "=" },
    { name: "down", value: losses, tone: "bad", sign: "▼" },
  ];
  return (
    <>
      <div class="outcomes" aria-hidden="true" style={{ width: `${100 * share}%` }}>
        {parts.map(({ name, value, tone }) => (
          <span key={name} class={tone} style={{ flexGrow: value }} />
        ))}
      </div>
      <p>
        {parts.map(({ name, value, tone, sign }) => (
          <span key={name} class={`outcome ${tone}`}>
            <span aria-hidden="true">{sign} </span>
            {value} {name}
          </span>
        ))}
        {children}
      </p>
    </>
  );
}
