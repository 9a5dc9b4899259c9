import { fleetSeal } from "./fleet-seal.ts";

/** What coordinators and workers of tests know, in whatever process they are. */
export const sealForTest = fleetSeal("what coordinators and workers of tests know");
