import type { NightSource } from "../../report/model.ts";
import { readNightReport, readNights } from "../../sleep/read-nights.ts";

/** The nights of one project on this machine. */
export const localNights = (journalDir: string): NightSource => ({
  nights: async () => readNights(journalDir),
  nightReport: async (id) => readNightReport(journalDir, id),
});
