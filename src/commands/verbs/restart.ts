import { powerVerb } from "./power.ts";

export const restart = powerVerb({
  name: "restart",
  op: "restartService",
  risk: "disruptive",
  summary: "Stop and start every instance of a service",
  diff: () => "a stop and a new start of every instance",
  effect: "Every instance will be stopped and started anew.",
});
