import { availableParallelism } from "node:os";
import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { agentUnit, commandUnit, environmentUnit } from "../../core/work/handle-units.ts";
import type { Context } from "../../core/context.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { generateUnit } from "../../core/work/generate-unit.ts";
import { type Handlers, createHandlers } from "../../core/work/handlers.ts";
import type { RunCommandInBox } from "../../core/ports/command.ts";

/** The handlers for each kind of unit, in this process or on a worker. */
export const runHandlers = (resolved: Resolved, context: () => Context): Handlers =>
  createHandlers([
    generateUnit({ models: resolved.modelObjects, priceOf: (id) => priceOf(id, resolved.prices) }),
    agentUnit(resolved.agents ?? new Map()),
    // graders only compute, so they don't wait for servers
    commandUnit(resolved.runCommand ?? noCommands, 2 * availableParallelism()),
    environmentUnit(context),
  ]);

const noCommands: RunCommandInBox = async () => {
  throw new WhetstoneError("sandbox-missing", "This run was opened without a sandbox for commands.");
};
