import { WhetstoneError } from "../core/errors.ts";
import { seededRandom, shuffle } from "../core/random.ts";
import type { Task } from "../core/tasks/task.ts";

/** One thing that the skill can know: the shelf for a kind of parcel. */
export interface HiddenRule {
  /** The kind of parcel, in the words of every task. */
  readonly topic: string;
  readonly code: string;
  /** The sentence that teaches it. */
  readonly sentence: string;
}

/** The rules that a skill's text knows, and those it misleads about. */
export interface SkillContents {
  readonly held: readonly HiddenRule[];
  /** Rules contradicted by an override in the text. An override beats a rule that the skill has. */
  readonly harmed: readonly HiddenRule[];
}

/** A made-up parcel office: its rules, its tasks and the sentences people write about it. */
export interface HiddenOffice {
  readonly rules: readonly HiddenRule[];
  /** The rule whose topic comes first in a text. */
  readonly findRule: (text: string) => HiddenRule | undefined;
  /** The number on a task's note, which no other task has. */
  readonly findTicket: (text: string) => string | undefined;
  readonly readSkill: (text: string) => SkillContents;
  /** The overrides in a text that contradict a rule, word for word. */
  readonly findOverrides: (text: string, rule: HiddenRule) => readonly string[];
  readonly writeSkill: (rulesHeld: number) => string;
  readonly writeTask: (index: number) => Task;
  readonly writeOverride: (rule: HiddenRule, random: () => number) => string;
  readonly wrongCode: (rule: HiddenRule, random: () => number) => string;
}

/** The line under which a skill lists its rules. */
export const rulesHeading = "## Shelf codes";

/**
 * Opens the office of a seed with `count` rules. Notes are padded with the day's diary to
 * `noteLength` characters.
 */
export function openOffice(seed: number, count: number, noteLength = 0): HiddenOffice {
  if (!Number.isInteger(count) || count < 2 || count > topics.length) {
    throw new WhetstoneError("usage", `The office cannot have ${count} rules.`, {
      hint: `Ask for 2 to ${topics.length} rules.`,
    });
  }
  const rules = drawRules(seed, count);
  const byTopic = new Map(rules.map((rule) => [rule.topic, rule]));
  const anyTopic = new RegExp(rules.map((rule) => rule.topic).join("|"));

  const findRule = (text: string) => byTopic.get(anyTopic.exec(text)?.[0] ?? "");

  const wrongCode = (rule: HiddenRule, random: () => number): string =>
    pickOne(
      rules.filter((other) => other !== rule),
      random,
    )?.code ?? "";

  const findOverrides = (text: string, rule: HiddenRule): readonly string[] =>
    [...text.matchAll(override)].map((match) => match[0]).filter((found) => found.includes(rule.topic));

  const writeTask = (index: number): Task => {
    const order = shuffle(rules, seededRandom(seed, "order", Math.floor(index / count)));
    const { topic, code } = order[index % count] ?? unreachable();
    return {
      id: `parcel-${String(index + 1).padStart(4, "0")}`,
      input: fillUp(
        writeNote(topic, index, seededRandom(seed, "note", index)),
        noteLength,
        seededRandom(seed, "diary", index),
      ),
      system: "Answer with the shelf code alone.",
      answers: [code],
      type: topic,
    };
  };

  return {
    rules,
    findRule,
    findTicket: (text) => /\d{7,}/.exec(text)?.[0],
    wrongCode,
    findOverrides,
    writeTask,
    readSkill: (text) => ({
      held: rules.filter((rule) => text.includes(rule.sentence)),
      harmed: rules.filter((rule) => findOverrides(text, rule).length > 0),
    }),
    writeSkill: (rulesHeld) =>
      [
        "# Parcel desk",
        "",
        "You sort parcels at the Harrow Quay office. Every kind of parcel has one shelf code.",
        "Read the note, find out what the parcel holds and name its shelf code.",
        "",
        rulesHeading,
        "",
        ...rules.slice(0, rulesHeld).map((rule) => `- ${rule.sentence}`),
      ]
        .join("\n")
        .trimEnd()
        .concat("\n"),
    writeOverride: (rule, random) => {
      const others = rules.filter((other) => other !== rule);
      const other = pickOne(others, random) ?? unreachable();
      const candidates = others.filter((candidate) => candidate !== other);
      const wrong = pickOne(candidates, random)?.code ?? decoyCode;
      return `Whatever else is written here, parcels of ${rule.topic} and parcels of ${other.topic} get shelf code ${wrong}.`;
    },
  };
}

const override = /(?:- )?Whatever else is written here, parcels of [a-z ]+ get shelf code [A-Z]-\d{3}\./g;

// letters and digits that rules don't use
const decoyCode = "Z-000";

function drawRules(seed: number, count: number): readonly HiddenRule[] {
  const random = seededRandom(seed, "rules");
  const numbers = shuffle(
    Array.from({ length: 900 }, (_, index) => 100 + index),
    random,
  );
  return shuffle(topics, random)
    .slice(0, count)
    .map((topic, index) => {
      const letter = "ABCDEFGHKLMNPRSTW"[Math.floor(random() * 17)] ?? "A";
      const code = `${letter}-${numbers[index] ?? 100}`;
      return { topic, code, sentence: `Parcels of ${topic} get shelf code ${code}.` };
    });
}

/** Writes a note like a clerk, with enough words of its own that no two are near-duplicates. */
function writeNote(topic: string, index: number, random: () => number): string {
  const pick = (words: readonly string[]) => pickOne(words, random) ?? "";
  const number = (from: number, to: number) => from + Math.floor(random() * (to - from));
  const ticket = `${number(100, 1000)}${String(index).padStart(4, "0")}`;
  const weight = `${number(1, 30)}.${number(0, 10)} kg`;
  const sender = `${pick(firstNames)} ${pick(lastNames)}`;
  const notes = [
    `Ticket ${ticket}: ${sender} of ${pick(towns)} left a ${pick(colours)} ${pick(boxes)} of ${topic}, ${weight}, tied with ${pick(ties)}, for the ${pick(days)} ${pick(routes)} to ${pick(places)}. Which shelf code does it get?`,
    `A ${pick(colours)} ${pick(boxes)} came by ${pick(routes)} from ${pick(towns)} on ${pick(days)}. It holds ${topic}, weighs ${weight} and is addressed to ${sender}, ${number(2, 200)} ${pick(places)} Road (slip ${ticket}). Name the shelf code.`,
    `${sender} asks where ${topic} belong: one ${pick(boxes)}, ${weight}, ${pick(ties)} around it, paid ${number(2, 60)} crowns at ${pick(towns)} counter ${number(1, 40)} last ${pick(days)}, receipt ${ticket}. Give the shelf code.`,
    `From the ${pick(days)} list, line ${ticket}: "${topic}, ${pick(colours)} ${pick(boxes)}, ${weight}, ${pick(ties)}", sent by ${sender} in ${pick(places)} and due in ${pick(towns)} before noon. What is its shelf code?`,
  ];
  return pick(notes);
}

/** Adds sentences without topics and tickets until the note is long enough. */
function fillUp(note: string, length: number, random: () => number): string {
  if (note.length >= length) return note;
  const pick = (words: readonly string[]) => pickOne(words, random) ?? "";
  let filled = `${note}\n\nFrom the diary of the day:`;
  while (filled.length < length) {
    filled += ` ${pick(firstNames)} ${pick(lastNames)} saw the ${pick(routes)} from ${pick(towns)} pass ${pick(places)} Road on ${pick(days)}, a ${pick(colours)} ${pick(boxes)} on its roof.`;
  }
  return filled.slice(0, length);
}

const pickOne = <T>(items: readonly T[], random: () => number): T | undefined =>
  items[Math.floor(random() * items.length)];

function unreachable(): never {
  throw new WhetstoneError("failed", "The office ran out of rules.", { hint: "Report this as a bug." });
}

/** Splits names at commas. */
const list = (text: string): readonly string[] => text.trim().split(/,\s+/);

const topics = [
  "live bees, printed maps, tuning forks, dried mushrooms, glass lenses, wool blankets, clock springs",
  "seed potatoes, copper kettles, oil paints, pressed flowers, brass bells, smoked fish, ink bottles",
  "leather saddles, garden shears, sheet music, silk ribbons, chess sets, candle moulds, fishing nets",
  "roof tiles, violin strings, pickled lemons, marble chips, bicycle chains, tea samples",
  "wooden puppets, storm lanterns, salt crystals, rubber stamps, canvas sails, cheese wheels, pocket mirrors",
  "iron hinges, feather pillows, coin albums, flour sacks, steel needles, amber beads",
].flatMap(list);
const firstNames = list("Odile, Bram, Tessa, Ivor, Maren, Jonas, Petra, Silas, Wanda, Edwin, Nora, Felix");
const lastNames = list(`
  Marsh, Okafor, Lindqvist, Pell, Duarte, Haas, Quill, Novak, Ferris, Aldous, Brandt, Sato`);
const towns = list(`
  Fennick, Orrel, Castle Dunn, Wexley, Port Amity, Lower Brede, Tarn Hill, Ashby Cross, Greyford, Milston`);
const places = list("Elm, Harbour, Chapel, Orchard, Mill, Station, Bridge, Quarry, Abbey, Ferry, Meadow");
const colours = list("grey, crimson, pale, striped, dark, yellow, spotted, plain, violet");
const boxes = list("crate, box, trunk, bundle, basket, case, tin, barrel");
const ties = list("green string, a strap, tarred rope, red tape, two buckles, thin wire, a linen band");
const days = list("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday");
const routes = list("boat, train, van, courier, mule cart, night coach");
