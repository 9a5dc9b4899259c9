import { useEffect, useRef } from "preact/hooks";
import { Frame } from "./components/frame.tsx";
import { Message } from "./components/message.tsx";
import { type App, AppContext, usePlace } from "./context.ts";
import { OfferPage } from "./pages/offer.tsx";
import { ProposalPage } from "./pages/proposal.tsx";
import { ProposalsPage } from "./pages/proposals.tsx";
import { RunPage } from "./pages/run.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { SkillPage } from "./pages/skill.tsx";
import { StepPage } from "./pages/step.tsx";
import { TaskPage } from "./pages/task.tsx";
import { TasksPage } from "./pages/tasks.tsx";
import { type Place, type Route, linkTo } from "./router.ts";

export function Root({ app }: { readonly app: App }) {
  const { route, query } = usePlace();
  const main = useRef<HTMLElement>(null);
  const address = route.page === "nowhere" ? route.path : linkTo(route);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = titleOf(route);
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // start a new page at its top, and let screen readers announce it
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [address]);
  return (
    <AppContext.Provider value={app}>
      <Frame route={route}>
        <main id="main" ref={main} tabIndex={-1} key={address}>
          <Page route={route} query={query} />
        </main>
      </Frame>
    </AppContext.Provider>
  );
}

function Page({ route, query }: Place) {
  switch (route.page) {
    case "runs":
      return <RunsPage query={query} />;
    case "run":
      return <RunPage run={route.run} />;
    case "step":
      return <StepPage run={route.run} step={route.step} />;
    case "skill":
      return <SkillPage run={route.run} query={query} />;
    case "tasks":
      return <TasksPage run={route.run} query={query} />;
    case "task":
      return <TaskPage run={route.run} task={route.task} query={query} />;
    case "proposal":
      return <ProposalPage run={route.run} />;
    case "proposals":
      return <ProposalsPage />;
    case "night-proposal":
      return <OfferPage id={route.id} />;
    default:
      return (
        <Message title="This page doesn't exist.">
          <a href={linkTo({ page: "runs" })}>Go to the list of runs.</a>
        </Message>
      );
  }
}

function titleOf(route: Route): string {
  if (route.page === "runs") return "Runs · Whetstone";
  if (route.page === "proposals") return "Proposals · Whetstone";
  if (route.page === "night-proposal") return `Proposal ${route.id} · Whetstone`;
  if (route.page === "nowhere") return "Whetstone";
  const run = route.run.slice(0, 8);
  if (route.page === "run") return `Run ${run} · Whetstone`;
  const part =
    route.page === "step"
      ? `Step ${route.step}`
      : route.page === "task"
        ? `Task ${route.task}`
        : titles[route.page];
  return `${part} · run ${run} · Whetstone`;
}

const titles = { skill: "Skill", tasks: "Tasks", proposal: "Proposal" } as const;
