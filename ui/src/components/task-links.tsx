import { linkTo } from "../router.ts";
import { plural } from "../format.ts";

const shown = 4;

/** Links to tasks by name; folded if there are many. */
export function TaskLinks({ run, tasks }: { readonly run: string; readonly tasks: readonly string[] }) {
  const link = (task: string) => (
    <a key={task} class="task-link" href={linkTo({ page: "task", run, task })}>
      {task}
    </a>
  );
  const rest = tasks.slice(shown);
  return (
    <span class="task-links">
      {tasks.slice(0, shown).map(link)}
      {rest.length > 0 && (
        <details>
          <summary>{plural(rest.length, "more task")}</summary>
          {rest.map(link)}
        </details>
      )}
    </span>
  );
}
