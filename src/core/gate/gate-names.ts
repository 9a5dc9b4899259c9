/** The gates of the setting `gate`, and what each decides about, which determines the wording of their steps and scores. */
const decidesAbout = { rules: "rules", strict: "candidates", off: "candidates" } as const;

export type GateName = keyof typeof decidesAbout;

export const gateNames = Object.keys(decidesAbout) as [GateName, ...GateName[]];

/** Whether a gate of this name measures rules one by one. A gate passed in code decides about candidates. */
export const measuresRules = (gate: unknown): boolean =>
  gateNames.some((name) => name === gate && decidesAbout[name] === "rules");
