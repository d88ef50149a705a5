import { z } from "zod";
import { findService } from "./lookup.ts";
import { serviceChange } from "./service-change.ts";
import { Target } from "./target.ts";
import { writeVerb } from "./verb.ts";
import { wholeNumber } from "./whole-number.ts";

/** How many instances can be asked for. */
export const InstanceSize = wholeNumber("N, the number of instances,", { from: 0, to: 10_000 });

export const scale = writeVerb({
  name: "scale",
  summary: "Set how many instances a service has",
  usage: "scale NAME N",
  example: "scale web 4",
  flags: {},
  deeds: [
    { op: "updateService", risk: "routine" },
    { op: "updateService", risk: "disruptive" },
    { op: "updateService", risk: "destructive" },
  ],
  words: 2,
  args: z.object({ name: Target, size: InstanceSize }),
  read: ({ positionals: [name, size] }) => ({ name, size }),
  async propose({ name, size }, given) {
    const service = await findService(name, given);
    const now = service.target_instance_size;
    return serviceChange(service, given, {
      op: "updateService",
      body: { target_instance_size: size },
      diff: now === size ? [] : [`instances ${now ?? "not told"} → ${size}`],
    });
  },
});
