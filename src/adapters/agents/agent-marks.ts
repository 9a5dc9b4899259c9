import { basename } from "node:path";
import { allCodingAgents } from "../coding-agents/coding-agents.ts";

interface AgentMark {
  readonly title: string;
  readonly program?: string;
  /** Variables it sets for the commands it starts. */
  readonly variables?: readonly string[];
  /** Scripts, if an interpreter runs it. */
  readonly packageName?: string;
}

/** How to recognize each coding agent. For the ones we know well, read from the programs themselves. */
const agentMarks: readonly AgentMark[] = [
  ...allCodingAgents.flatMap(({ label: title, program }) =>
    program === undefined ? [] : { ...program, title, program: program.name },
  ),
  { title: "Cline", program: "cline", variables: ["CLINE_ACTIVE"] },
  { title: "Goose", program: "goose", variables: ["GOOSE_TERMINAL"] },
  { title: "Augment", program: "auggie", variables: ["AUGMENT_AGENT"], packageName: "@augmentcode/auggie" },
  { title: "Antigravity", variables: ["ANTIGRAVITY_AGENT"] },
  { title: "Amp", program: "amp", packageName: "@sourcegraph/amp" },
  { title: "Aider", program: "aider" },
  // the variables agents agreed on
  { title: "an agent", variables: ["AI_AGENT", "AGENT"] },
];

/** The agent that set one of these variables, and which one. */
export function markIn(variables: Iterable<string>): { title: string; variable: string } | undefined {
  const set = new Set(variables);
  for (const { title, variables: marks = [] } of agentMarks) {
    const variable = marks.find((mark) => set.has(mark));
    if (variable !== undefined) return { title, variable };
  }
  return undefined;
}

/** The agent that a process is, by its name or by the script its interpreter runs. */
export function agentOf(name: string, [started = "", ...words]: readonly string[]): string | undefined {
  const isInterpreted = /^(?:node|bun|deno|python)[\d.]*$/.test(plain(started));
  const scripts = isInterpreted ? words.slice(0, 6).filter((word) => !word.startsWith("-")) : [];
  const names = [name, plain(started), plain(scripts[0] ?? "")].filter((one) => one !== "");
  const isOf = (packageName: string | undefined) =>
    packageName !== undefined &&
    scripts.some((word) => slashed(word).includes(`/node_modules/${packageName}/`));
  return agentMarks.find(({ program = "", packageName }) => names.includes(program) || isOf(packageName))
    ?.title;
}

const slashed = (path: string): string => path.replaceAll("\\", "/");
const plain = (path: string): string => basename(slashed(path)).replace(/\.(?:exe|[cm]?js|py)$/i, "");
