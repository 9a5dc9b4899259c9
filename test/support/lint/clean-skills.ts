/** Twenty skill files by one hand, in the ways in which people write them; nothing in them is meant to be wrong. */
export const cleanSkills: Readonly<Record<string, string>> = {
  "commit-messages": `---
name: commit-messages
description: Writes commit messages in this team's form. Use when committing, or when the user asks for a message for staged changes.
---

# Commit messages

1. Read \`git diff --staged\`; never guess from file names.
2. The first line has at most 60 characters and begins with a verb: "Add", "Fix", "Remove".
3. A body only where the reason is not plain from the diff; then one paragraph, wrapped at 72.
4. Name the ticket as \`Refs: ABC-123\` on the last line if the branch name holds one.
`,
  "pdf-forms": `---
name: pdf-forms
description: Fills in PDF forms. Use for tax forms, visa forms and any other PDF with fields that the user wants filled.
---

List the fields first with \`pdftk form.pdf dump_data_fields\`.

- Dates go in as DD.MM.YYYY, whatever the user typed.
- A checkbox is set with its export value, which is often \`Yes\` and sometimes \`1\`.
- Leave a field empty when its value is not known, and list those fields at the end.
`,
  "sql-migrations": `---
name: sql-migrations
description: Use before writing or reviewing a database migration of the shop (PostgreSQL 15).
---

## Rules

- One migration changes one table.
- Add a column as nullable, backfill in batches of 5,000 rows, then set NOT NULL in a later release.
- Be careful with \`ALTER TYPE\`: it rewrites the table and locks it, so split it into a new column and a rename.
- \`CREATE INDEX CONCURRENTLY\` cannot run inside a transaction; put \`-- no-transaction\` on line 1.
`,
  "meeting-notes": `---
name: meeting-notes
description: Turns a transcript into notes with decisions and owners. Use when the user pastes a transcript or asks for minutes.
---

Begin with the decisions, then the open questions, then who does what by when.

A decision is only what somebody said yes to. "We could" and "maybe" are open questions.

Name owners as they are called in the transcript. Where nobody took a task, write "(nobody)".
`,
  "release-notes": `---
name: release-notes
description: >
  Writes release notes for customers from merged pull requests.
  Use when a release is tagged or the user asks what changed.
---

- Group by what a customer notices: New, Better, Fixed. Refactorings are left out.
- One line each, in the present tense, without names of classes.
- A change that needs work by the customer stands first, with the work as a numbered list.
`,
  "invoice-check": `---
name: invoice-check
description: Checks supplier invoices against orders. Use when an invoice (PDF or XML) arrives or the user asks whether it may be paid.
---

Compare number, supplier, each position and the sum with the order.

| deviation | what to do |
|---|---|
| below 2 % and below 50 EUR | pay, and note it |
| price per piece differs | ask purchasing |
| position without an order | refuse the invoice |

Reverse charge applies when the supplier's VAT id is from another EU country: then the VAT on the invoice must be 0.
`,
  "log-triage": `---
name: log-triage
description: Finds the first cause in service logs. Use when a user reports an outage, a spike of 5xx, or pastes log lines.
---

1. Sort by time over all services, not per service.
2. The first ERROR is rarely the cause: look for the last WARN of the service that it calls.
3. Ignore \`ECONNRESET\` from the load balancer (10.0.0.0/8); it closes idle connections after 60 seconds.
4. Answer with the line, the service, and what would confirm it.
`,
  "api-review": `---
name: api-review
description: Reviews changes to the public REST API. Use for pull requests that touch openapi.yaml.
---

A change is breaking when an old client would fail: a field removed or renamed, an enum value added to a response, a
required parameter added. Say so in the first line.

Paths are plural nouns. Filters are query parameters. Times are RFC 3339 in UTC.

Errors carry \`code\`, \`message\` and \`next\`; a 4xx without \`next\` is sent back.
`,
  "unit-tests": `---
name: unit-tests
description: Writes unit tests for the billing package. Use when asked for tests or after changing code in packages/billing.
---

- Build money with \`eur(12.5)\`; a float in a test is refused by the linter.
- One behaviour per test; its name is a sentence, such as "a refund never exceeds the payment".
- Freeze time with \`at("2026-03-01")\`. Tests that read the clock are flaky around midnight.
- No mocks of our own modules: use \`fakeLedger()\`.
`,
  translations: `---
name: translations
description: Translates interface texts from English to German. Use when strings in locales/ are added or changed.
---

Address people as "Sie". Buttons are verbs in the infinitive: "Speichern", "Abbrechen".

Placeholders such as \`{count}\` stay as they are, and every plural form of the source has one in the target.

Terms: invoice is Rechnung, order is Auftrag, shipment is Sendung.
`,
  "data-cleaning": `---
name: data-cleaning
description: Cleans customer tables before an import. Use when the user has a CSV or Excel file for the CRM.
---

1. Keep the original file; write \`<name>.clean.csv\`.
2. Phone numbers become E.164. Without a country code the column \`country\` decides.
3. Two rows are one customer when e-mail is equal without case, or name and postcode are equal.
4. Report how many rows were merged, changed and refused, with three examples each.
`,
  "incident-report": `---
name: incident-report
description: Writes the report after an incident. Use when the user says that an incident is over or asks for a post-mortem.
when_to_use: after an incident was closed
---

The timeline has UTC times and facts; opinions go into "What we think".

People are named by role. Causes are conditions ("the alert had no owner"), never persons.

Each action has an owner, a date, and a check by which somebody else can see that it is done.
`,
  "shell-scripts": `---
name: shell-scripts
description: Writes bash scripts for the build machines. Use when the user wants a script or a cron job there.
---

Every script begins with:

\`\`\`bash
#!/usr/bin/env bash
set -euo pipefail
\`\`\`

- Quote every variable. Arrays for lists of files, never words in a string.
- Temporary files come from \`mktemp -d\`, with a \`trap … EXIT\` that removes them.
- The machines have bash 4.2: no \`\${x@Q}\`, no \`wait -n\`.
`,
  "recipe-scaling": `---
name: recipe-scaling
description: Scales recipes to another number of people. Use when somebody asks for a recipe for more or fewer guests.
---

Scale everything by the ratio of people, but:

- salt and spices by the ratio to the power of 0.8
- baking powder at most 1.5-fold
- times in the oven stay; a tin of twice the height takes half as long again

Round to what a kitchen can measure: 5 g, 1/4 teaspoon.
`,
  "contract-summary": `---
name: contract-summary
description: Summarises contracts for people who are no lawyers. Use when the user uploads a contract or asks what it means.
---

First: parties, what is owed, price, term, how to end it. Then what is unusual.

Quote the clause and its number for everything that costs money or cannot be undone.

This is no legal advice, and one sentence at the end says so.
`,
  "chart-style": `---
name: chart-style
description: Makes charts in the house style. Use whenever a chart or plot is asked for.
---

- Bars begin at zero. Lines may not, and then the axis says so.
- At most five series; the rest is one grey line called "others".
- The title is the finding ("Returns fell after May"), not the topic.
- Colours in this order: #1b4965, #ca6702, #5f0f40.

Details about maps are in [maps](references/maps.md).
`,
  "code-review": `---
name: code-review
description: Reviews pull requests of the mobile app. Use when the user asks for a review or names a PR number.
---

Comment on what breaks, leaks or blocks the main thread. Names and formatting are the linter's business.

Each comment has the line, what happens, and for whom: "On a slow network the second tap sends the order twice."

No more than seven comments; the gravest ones first. Where nothing is wrong, say "nothing found" and what was looked at.
`,
  "interview-questions": `---
name: interview-questions
description: Prepares interviews from a CV and a job description. Use if the user has an interview with a candidate.
---

Four questions per topic: what they did, what they would do in our case, what went wrong once, and what they would ask us.

Never ask about age, family, health, origin or faith, nor about what leads there.

For each question, two lines on what a strong and a weak answer holds.
`,
  "agents-file": `# Working on this repository

- \`npm test\` runs everything in 40 seconds; run it before each commit.
- New endpoints go into \`src/routes/<name>.ts\` and are listed in \`src/routes/index.ts\`.
- Dates in the database are UTC; only \`src/format/\` knows about time zones.
- Migrations are never edited after they were merged. Write another one.
`,
  "email-replies": `---
name: email-replies
description: Drafts replies to customers of the bike shop. Use when the user forwards a customer's e-mail.
---

Answer the question in the first sentence. Thanks and apologies come after it, if at all.

- Orders: give the number and the day of delivery from the order system.
- Returns: 30 days, unused; frames never, because they are built to measure.
- Anger: name what went wrong on our side once, and what happens next with a date.

Sign with "Your workshop". No exclamation marks.
`,
};
