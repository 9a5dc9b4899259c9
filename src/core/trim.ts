/** Keeps the beginning and the end, because that's where the question and the answer are. */
export function trimMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

/** The most that each may have so that all fit into the total. Short ones leave their rest to long ones. */
export function fairShare(sizes: readonly number[], total: number): number {
  let [left, waiting] = [total, sizes.length];
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * waiting > left) return Math.floor(left / waiting);
    left -= size;
    waiting -= 1;
  }
  return total;
}
