/** The gates that the setting `gate` names, and what each decides about: their steps and scores are worded by it. */
const decidesAbout = { rules: "rules", strict: "candidates", off: "candidates" } as const;

export type GateName = keyof typeof decidesAbout;

export const gateNames = Object.keys(decidesAbout) as [GateName, ...GateName[]];

/** Whether a gate of this name measures rules one by one. One that was given in code decides about candidates. */
export const measuresRules = (gate: unknown): boolean =>
  gateNames.some((name) => name === gate && decidesAbout[name] === "rules");
