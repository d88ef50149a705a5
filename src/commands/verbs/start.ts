import { powerVerb } from "./power.ts";

export const start = powerVerb({
  name: "start",
  op: "startService",
  risk: "routine",
  summary: "Start a stopped service",
  already: "Running",
  diff: (status) => `status ${status} → Running`,
  effect: "All its instances will be started.",
});
