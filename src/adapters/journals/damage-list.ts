/** Describes damage in words. Neighbouring rows with the same fault share a sentence. */
export function damageList() {
  const sentences: string[] = [];
  let open: { from: number; to: number; why: string } | undefined;

  return { say, rows, list: () => (closeStretch(), sentences) };

  function say(sentence: string): void {
    closeStretch();
    sentences.push(sentence);
  }

  function rows(from: number, to: number, why: string): void {
    if (open !== undefined && open.why === why && open.to === from - 1) open.to = to;
    else {
      closeStretch();
      open = { from, to, why };
    }
  }

  function closeStretch(): void {
    if (open === undefined) return;
    const { from, to, why } = open;
    sentences.push(from === to ? `Row ${from} is ${why}.` : `Rows ${from} to ${to} are ${why}.`);
    open = undefined;
  }
}
