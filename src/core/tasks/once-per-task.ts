import type { Task } from "./task.ts";

/** Caches a value per task. A megabyte of input takes 0.1 seconds to read, and a run asks for it hundreds of times. */
export function oncePerTask<T>(read: (task: Task) => T): (task: Task) => T {
  const known = new WeakMap<Task, { readonly value: T }>();
  return (task) => {
    const { value } = known.get(task) ?? { value: read(task) };
    if (!known.has(task)) known.set(task, { value });
    return value;
  };
}
