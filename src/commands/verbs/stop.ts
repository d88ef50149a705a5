import { powerVerb } from "./power.ts";

export const stop = powerVerb({
  name: "stop",
  op: "stopService",
  risk: "disruptive",
  summary: "Stop a service; its definition stays",
  already: "Stopped",
  diff: (status) => `status ${status} → Stopped`,
  effect: "All its instances will be stopped; its definition stays, and it can be started again.",
});
