import { fleetSeal } from "../../src/adapters/fleet/fleet-seal.ts";

/** What coordinators and workers of tests know, in whatever process they are. */
export const sealForTest = fleetSeal("what coordinators and workers of tests know");
