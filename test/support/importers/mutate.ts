type Random = () => number;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const pick = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)] as T;

/** Where formats write the type of an assertion: `type: x`, `"type": "x"`, `"kind": "x"`, and the cells of `__expected`. */
const typePlaces =
  /(?<=\btype"?: ?"?)(?:not-)?(?:equals|contains(?:-\w+)?|icontains(?:-\w+)?|regex|is-json|starts-with|llm-rubric|not-llm-rubric|javascript|python|similar|latency|skill-used|webhook)(?=[",}\s])|(?<="kind": ?")(?:number|contains|any)(?=")|(?<=[,"])(?:equals|not-contains|contains-all|grade|javascript)(?=: )/g;

/** One assertion becomes one that nobody knows; undefined when the file has none. */
export function mutateType(text: string, random: Random): string | undefined {
  const places = [...text.matchAll(typePlaces)];
  if (places.length === 0) return undefined;
  const place = pick(random, places);
  const word = `zork-${below(random, 1e6)}`;
  return text.slice(0, place.index) + word + text.slice(place.index + place[0].length);
}

const strange = [
  "{",
  "}",
  "[",
  "]",
  '"',
  ",",
  ":",
  "\n",
  "\t",
  "\0",
  "- ",
  "null",
  "{{",
  "}}",
  "{%",
  "&a ",
  "*a",
  "<<: ",
  "!!js/function ",
  "__proto__",
  "1e999",
  "-",
  "é",
  "\u202E",
  "file://../../etc/passwd",
  '"id": 1,',
  "---\n",
];

/** A few places cut, doubled, swapped or spoilt. */
export function mutateText(text: string, random: Random): string {
  let changed = text;
  for (let left = 1 + below(random, 4); left > 0; left -= 1) {
    const from = below(random, changed.length + 1);
    const to = Math.min(changed.length, from + below(random, 40));
    changed = pick(random, [
      () => changed.slice(0, from) + changed.slice(to),
      () => changed.slice(0, from),
      () => changed.slice(0, to) + changed.slice(from),
      () => changed.slice(0, from) + pick(random, strange) + changed.slice(from),
      () => changed.slice(0, from) + pick(random, strange) + changed.slice(to),
      () => changed.replace(/\d+/, pick(random, ["null", "[]", "{}", '"x"', "1e400"])),
      () =>
        changed.replaceAll(
          pick(random, ["vars", "assert", "prompt", "input", "query", "evals", "id"]),
          pick(random, ["checks", "x", "tests", "target"]),
        ),
      () => changed.slice(0, from) + "[".repeat(500) + changed.slice(from),
    ])();
  }
  return changed;
}
