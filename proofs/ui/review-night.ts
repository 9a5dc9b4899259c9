import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { StagedNights } from "../../test/support/staged-nights.ts";
import { type Findings, type Looks, look, openVisit } from "./browse.ts";
import { comes } from "./comes.ts";

export interface NightVisit {
  readonly url: string;
  readonly origin: string;
  readonly nights: StagedNights;
  readonly looks: Looks;
  /** The folder for pictures; none are taken without one. */
  readonly output?: string;
}

const newWords = "Give every new endpoint a test that calls it and reads its status.";

/** Goes through what a night proposes as a person would, and compares what the page showed with what is on the disk. */
export async function reviewNight(
  browser: Browser,
  { url, origin, nights, looks, output }: NightVisit,
  findings: Findings,
): Promise<Record<string, boolean>> {
  const { memory, original, unverified } = nights;
  const { context, page } = await openVisit(browser, looks, findings, { origin });
  const live = () => readFileSync(memory, "utf8");
  const picture = (name: string) =>
    look(
      page,
      name,
      findings,
      output === undefined ? { axe: false } : { picture: join(output, `${name}.png`) },
    );
  const rule = (number: number) => page.getByRole("article", { name: new RegExp(`^Rule ${number} `) });
  const adopt = page.getByRole("button", { name: /^Adopt \d/ });
  const checks: Record<string, boolean> = {};

  // no model looked at the person's own words
  const ownWords = page.getByRole("checkbox", { name: /looked at/ });
  await page.goto(url);
  await page.getByRole("link", { name: "Proposals", exact: true }).click();
  await page.getByText("Night 0003").first().waitFor();
  const listed = page.getByRole("link", { name: "4 rules for CLAUDE.md" });
  checks["proposalsAreListed"] = await comes(listed);
  await page.getByText("Report of night 0003").click();
  checks["aNightsReportOpens"] = await isThere(page, "# Night 0003");
  await listed.click();
  await adopt.waitFor();
  checks["labelsAreShown"] = await allThere(page, [
    "proven",
    "works on your tasks, not proven",
    "not measured",
    "no, kebab-case, like the others",
  ]);
  checks["aWishShowsItsOccasion"] = await allThere(page, [
    "You said this 2 times: 1 and 2 October 2026.",
    "give the cart a cap of 99 items",
    "Done: the cart takes 99 items at most.",
    "I ran `pnpm test --run`: 212 passed.",
  ]);

  // a new power, acknowledged; then the rule that brings it is dropped, with keys alone
  const isHeld = await adopt.isDisabled();
  await page.getByRole("checkbox", { name: /runs a command/ }).check();
  checks["aPowerIsAcknowledgedFirst"] = isHeld && (await adopt.isEnabled());
  await rule(3).getByRole("button", { name: "Drop" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: /runs a command/ }).waitFor({ state: "detached" });
  await rule(2).getByRole("button", { name: "Edit …" }).focus();
  await page.keyboard.press("Enter");
  await picture("night-edit");
  await page.keyboard.press("Control+a");
  await page.keyboard.type(newWords);
  await page.keyboard.press("Control+Enter");
  await rule(2).getByText("edited by you, not measured").waitFor();
  await ownWords.check();
  await rule(4).getByRole("button", { name: "Accept" }).click();
  await page.getByText(/^3 rules: 1 proven; 1 edited by you, not measured; 1 not proven/).waitFor();
  checks["decidingWritesNothing"] = live() === original;

  await adopt.click();
  const write = page.getByRole("button", { name: "Write 1 file" });
  const wantsWord = await write.isDisabled();
  await picture("night-adopt-asks");
  await page.getByRole("checkbox", { name: /^I know/ }).check();
  checks["unprovenNeedsAWord"] = wantsWord && (await write.isEnabled());
  const shown = await shownHash(page);
  await write.click();
  await page.getByRole("button", { name: "Undo …" }).waitFor();
  const adopted = live();
  checks["adoptWritesTheShownBytes"] = hash("sha256", Buffer.from(adopted)) === shown && adopted !== original;
  checks["droppedIsOutEditedIsIn"] =
    !adopted.includes("pnpm test") &&
    adopted.includes(`- ${newWords}\n`) &&
    adopted.includes("- Write commit messages in the imperative:");
  await picture("night-adopted");
  await undo(page);
  checks["undoPutsTheRulesBack"] = live() === original;

  // the person writes into the file meanwhile: it is shown merged, and so it is written
  const edited = `${original}\nTabs, not blanks.\n`;
  writeFileSync(memory, edited);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByText("changed since the night").waitFor();
  await picture("night-merge");
  const merged = await shownHash(page);
  await ownWords.check();
  await adopt.click();
  await page.getByRole("checkbox", { name: /^I know/ }).check();
  await write.click();
  await page.getByRole("button", { name: "Undo …" }).waitFor();
  checks["mergeWritesTheShownBytes"] =
    hash("sha256", Buffer.from(live())) === merged && live().includes("\nTabs, not blanks.\n");
  await undo(page);
  checks["undoPutsTheEditedFileBack"] = live() === edited;
  writeFileSync(memory, original);

  await page.goto(`${url}#/proposals/${unverified.id}`);
  checks["gateOffIsSaid"] = await isThere(page, "The gate was off: nothing here is verified.");
  await page.getByRole("button", { name: "Reject everything …" }).click();
  await page.getByLabel(/^Why not/).fill("We use no pull requests.");
  await page.keyboard.press("Enter");
  checks["rejectedWithAReason"] = await isThere(page, "You rejected it: We use no pull requests.");
  await picture("night-rejected");
  await page.getByRole("link", { name: "Proposals", exact: true }).click();
  await page.getByText("earlier proposal").waitFor();
  checks["whatIsDecidedWaitsNoMore"] =
    (await comes(page.getByRole("link", { name: "3 rules for CLAUDE.md" }))) &&
    !(await page.getByRole("link", { name: "1 rule for release-notes" }).isVisible());
  await context.close();
  return checks;
}

async function undo(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Undo …" }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: /^Adopt \d/ }).waitFor();
}

/** What the page says the file will be. */
const shownHash = async (page: Page): Promise<string> =>
  (await page.locator(".hashes dd").nth(1).textContent()) ?? "";

const isThere = (page: Page, text: string): Promise<boolean> => comes(page.getByText(text));

async function allThere(page: Page, texts: readonly string[]): Promise<boolean> {
  for (const text of texts) if (!(await isThere(page, text))) return false;
  return true;
}
