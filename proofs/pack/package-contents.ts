/** Files that the package is made of; each must be there, and nothing else may. Chunks of the build carry a hash in their names. */
const expected: readonly RegExp[] = [
  /^package\.json$/,
  /^README\.md$/,
  /^LICENSE$/,
  /^CHANGELOG\.md$/,
  /^THIRD-PARTY-NOTICES\.md$/,
  /^dist\/(?:index|ports|method|rule|testing|vitest)\.js$/,
  /^dist\/(?:index|ports|method|rule|testing|vitest)\.d\.ts$/,
  /^dist\/cli\.(?:js|d\.ts)$/,
  /^dist\/scoring-thread\.(?:js|d\.ts)$/,
  /^dist\/[\w-]+-[\w-]{8}\.(?:js|d\.ts)$/,
  /^dist\/(?:config|rule)\.schema\.json$/,
  /^dist\/ui\/index\.html$/,
  /^\.(?:claude-plugin|agents\/plugins)\/marketplace\.json$/,
  /^plugins\/whetstone\/(?:\.\w+-plugin\/|agents|commands|evals|extensions|hooks|opencode|policies|prompts|skills)/,
  /^plugins\/whetstone\/(?:README\.md|PRIVACY\.md|LICENSE|icon\.\w+|gemini-extension\.json)$/,
];

/** What is too much in a list of files, and which of the expected kinds are missing. */
export const contentProblems = (files: readonly string[]): readonly string[] => [
  ...files
    .filter((file) => !expected.some((pattern) => pattern.test(file)))
    .map((file) => `${file} does not belong there`),
  ...expected
    .filter((pattern) => !files.some((file) => pattern.test(file)))
    .map((pattern) => `nothing fits ${pattern}`),
];
