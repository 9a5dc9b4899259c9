import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WhetstoneError } from "../../../src/core/errors.ts";
import { singleFileSkill } from "../../../src/core/skill/skill.ts";
import { adoptOffer } from "../../../src/run/offer/adopt.ts";
import { powersOf } from "../../../src/run/offer/powers-of.ts";
import { openProposal } from "../../../src/run/offer/proposal.ts";
import { carriers, harmlessTexts, hiddenTexts } from "./hidden-texts.ts";
import { makeWorkshop, unsynced } from "./workshop.ts";

/** Proposes each text to a live skill: how many hidden ones were refused, and how many harmless ones adopted. */
export async function offerTexts(dir: string, short: boolean, log: (line: string) => void) {
  let [hidden, refused, adopted] = [0, 0, 0];
  for (const [family, texts] of Object.entries(hiddenTexts)) {
    const before = { hidden, refused };
    for (const [at, text] of texts.entries()) {
      // of a long range of characters the short form takes every seventh
      if (short && texts.length > 50 && at % 7 !== 0 && text.length < 5) continue;
      // the short form puts each text into one place, the long one into all
      const places = Object.entries(carriers).filter((_, place) => !short || place === at % 4);
      for (const [place, carry] of places) {
        hidden += 1;
        if (await isRefused(dir, carry(text))) refused += 1;
        else log(`ADOPTED ${family}, ${place}: ${JSON.stringify(text)}`);
      }
    }
    log(`${family.padEnd(20)} ${refused - before.refused} of ${hidden - before.hidden} refused`);
  }
  for (const text of harmlessTexts) {
    if (await isRefused(dir, `${liveText}\n${text}\n`)) log(`REFUSED harmless: ${JSON.stringify(text)}`);
    else adopted += 1;
  }
  log(`${"harmless".padEnd(20)} ${adopted} of ${harmlessTexts.length} adopted`);
  return { hidden, refused, adopted };
}

const liveText = "# Skill\n\n- old rule\n";

/** Whether adopt refuses the text for what it hides, and leaves the live file alone. */
async function isRefused(dir: string, text: string): Promise<boolean> {
  const skills = { original: singleFileSkill(liveText), best: singleFileSkill(text) };
  const { run, live } = await makeWorkshop(dir, { name: "text", ...skills, isFile: true, modes: {} });
  // no acknowledgement may stand in for seeing the text
  const acknowledge = powersOf(openProposal(run)).map(({ id }) => id);
  try {
    await adoptOffer(run, { unproven: true, operations: unsynced, acknowledge });
    return false;
  } catch (error) {
    if (!(error instanceof WhetstoneError && error.code === "hidden-text")) throw error;
    return readFileSync(join(live, "SKILL.md"), "utf8") === liveText;
  }
}
