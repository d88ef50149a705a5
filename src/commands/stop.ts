import { powerVerb } from "./power.ts";

export const stop = powerVerb({
  name: "stop",
  op: "stopService",
  risk: "disruptive",
  summary: "Stop a service; its definition stays",
  already: "Stopped",
  diff: (status) => `status ${status} → Stopped`,
});
