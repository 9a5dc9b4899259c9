/**
 * How many times more work four times the size is: 4 when it is linear, 16 when it is quadratic. Measured in processor time,
 * which a busy machine hardly changes; what takes less than a moment at the small size counts as one.
 */
export function growth(work: (size: number) => unknown, size: number): number {
  work(size);
  return (
    spent(() => work(4 * size)) /
    Math.max(
      moment,
      spent(() => work(size)),
    )
  );
}

const moment = 50_000;

function spent(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
