import { expect, test } from "vitest";
import { isSameRule, saysAllOf } from "./same-rule.ts";

test.each([
  ["- Be brief.", "Be brief"],
  ["Look up the code.", "Always make sure to look up the code."],
  ["Always write dates as YYYY-MM-DD in tables.", "Write all dates in tables as YYYY-MM-DD."],
  [
    "When a customer asks for a refund, name the order number first.",
    "Name the order number first when customers ask for refunds.",
  ],
])("%j and %j are one rule", (a, b) => {
  expect(isSameRule(a, b)).toBe(true);
});

test.each([
  ["Use metric units.", "Never use metric units."],
  ["Round to 2 places.", "Round to 3 places."],
  ["Parcels of live bees get shelf code A-123.", "Parcels of live bees get shelf code B-124."],
  [
    "State the total in euros at the end of every invoice note.",
    "State the total in dollars at the end of every invoice note.",
  ],
  [
    "Keep the tone friendly when a note is about sheet music.",
    "Keep the tone friendly when a note is about pressed flowers.",
  ],
  [
    "Round the total up to the next full euro before you print the invoice.",
    "Round the total down to the next full euro before you print the invoice.",
  ],
  [
    "Use the tool search before you answer a question about prices.",
    "Use the tool search after you answer a question about prices.",
  ],
  [
    "For parcels to Norway, add the customs form before you seal the box.",
    "For parcels to Sweden, add the customs form before you seal the box.",
  ],
  ['Answer "yes" where the form is complete.', 'Answer "no" where the form is complete.'],
])("%j and %j are two", (a, b) => {
  expect(isSameRule(a, b)).toBe(false);
});

test("a rule with a case more is an improvement; one with a case less was said", () => {
  const press =
    "- PRIORITY is P1, P2 or P3. P1: the customer hints at the press (e.g. a journalist). P2: the customer is locked out of all their money. Most other messages are P3; how long someone has been a customer does not matter.";
  const lawyer = press.replace("hints at the press", "mentions a lawyer (Anwalt) or hints at the press");
  expect(isSameRule(press, lawyer)).toBe(true);
  expect([saysAllOf(press, lawyer), saysAllOf(lawyer, press)]).toEqual([false, true]);
});
