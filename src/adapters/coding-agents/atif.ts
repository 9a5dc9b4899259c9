import { atifSource } from "../transcripts/readers/atif.ts";
import type { CodingAgent } from "./coding-agent.ts";

/** Trajectories of any agent. They have no usual place: they are where somebody put them. */
export const atif: CodingAgent<"atif"> = {
  name: "atif",
  label: "ATIF",
  program: undefined,
  reads: undefined,
  memory: undefined,
  secrets: [],
  skills: { project: [], home: [] },
  cli: undefined,
  transcripts: (_host, place) => (place === undefined ? undefined : atifSource({ folder: place })),
  plugin: undefined,
};
