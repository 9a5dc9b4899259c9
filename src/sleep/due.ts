/** Whether a night is due: none has begun since the last time at which one should have. `at` is `HH:MM`, local time. */
export function isDue(at: string, lastBegan: number | undefined, now: number): boolean {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const planned = new Date(now);
  planned.setHours(hours, minutes, 0, 0);
  if (planned.getTime() > now) planned.setDate(planned.getDate() - 1);
  return lastBegan === undefined || lastBegan < planned.getTime();
}
