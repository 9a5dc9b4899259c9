import type { VirtualTime } from "../simulation/virtual-time.ts";

/** Lets time pass until the work is done. */
export async function untilDone<T>(work: Promise<T>, time: VirtualTime): Promise<T> {
  const progress = { isOver: false };
  const end = () => {
    progress.isOver = true;
  };
  work.then(end, end);
  while (!progress.isOver) await time.advance();
  return work;
}
