/** `0:07`, `12:40`, `3:05:00`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export { plural } from "../core/plural.ts";

/** `950`, `12.3k`, `4.6M`. */
export function short(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(count < 1e5 ? 1 : 0)}k` : `${(count / 1e6).toFixed(1)}M`;
}
