import type { ComponentChildren } from "preact";
import { useApp } from "../context.ts";
import { shortId } from "../format.ts";
import { type Route, linkTo } from "../router.ts";

/** The frame of every page, with its navigation. */
export function Frame({ route, children }: { readonly route: Route; readonly children: ComponentChildren }) {
  const { source, note } = useApp();
  const run = "run" in route ? route.run : undefined;
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={linkTo({ page: "runs" })}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M1 12 11 2l4 4-10 8z" />
          </svg>
          Whetstone
        </a>
        <nav aria-label="Pages">
          {source.kind === "server" && (
            <a href={linkTo({ page: "runs" })} aria-current={route.page === "runs" ? "page" : undefined}>
              Runs
            </a>
          )}
          {source.sleep !== undefined && (
            <a
              href={linkTo({ page: "proposals" })}
              aria-current={
                route.page === "proposals" || route.page === "night-proposal" ? "page" : undefined
              }
            >
              Proposals
            </a>
          )}
          {run !== undefined && <RunLinks run={run} route={route} />}
        </nav>
      </header>
      {children}
      {source.kind === "standalone" && <footer class="note">{note}</footer>}
    </>
  );
}

function RunLinks({ run, route }: { readonly run: string; readonly route: Route }) {
  const current = (...pages: readonly Route["page"][]) => (pages.includes(route.page) ? "page" : undefined);
  return (
    <>
      <a href={linkTo({ page: "run", run })} aria-current={current("run", "step")}>
        Run <span class="mono">{shortId(run)}</span>
      </a>
      <a href={linkTo({ page: "skill", run })} aria-current={current("skill")}>
        Skill
      </a>
      <a href={linkTo({ page: "tasks", run })} aria-current={current("tasks", "task")}>
        Tasks
      </a>
      <a href={linkTo({ page: "proposal", run })} aria-current={current("proposal")}>
        Proposal
      </a>
    </>
  );
}

// the hash belongs to the router
function skipToMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}
