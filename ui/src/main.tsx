import { render } from "preact";
import { Root } from "./app.tsx";
import { createRunStore } from "./run-store.ts";
import { httpSource, takeToken } from "./source-http.ts";
import { readStandaloneData, standaloneSource } from "./source-standalone.ts";
import "./theme.css";
import "./parts.css";

const data = readStandaloneData();
const source = data === undefined ? httpSource(takeToken()) : standaloneSource(data);
if (data !== undefined && location.hash === "") location.replace(`#/run/${data.report.overview.id}`);

const root = document.querySelector("#app");
if (root !== null)
  render(<Root app={{ source, runs: createRunStore(source), note: data?.note ?? "" }} />, root);
