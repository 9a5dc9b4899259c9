/** Caches all values of a pure function. Use it for a small number of inputs made of numbers and words. */
export function remembered<Input extends object, Output>(
  find: (input: Input) => Output,
): (input: Input) => Output {
  const found = new Map<string, Output>();
  return (input) => {
    const key = JSON.stringify(input);
    const known = found.get(key);
    if (known !== undefined) return known;
    const output = find(input);
    found.set(key, output);
    return output;
  };
}
