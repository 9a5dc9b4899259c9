/** A reply to the contract `powers`: no rule asks for anything. */
export const noPowers = (prompt: string) => ({
  rules: Array.from(prompt.matchAll(/^BEGIN rule-(\d+) /gm), ([, rule]) => ({
    rule: Number(rule),
    powers: [],
  })),
});
