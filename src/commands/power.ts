import { z } from "zod";
import type { Change } from "../changes/change.ts";
import type { Risk } from "../policy/risk.ts";
import type { WriteCommand } from "./command.ts";
import { findService } from "./lookup.ts";
import { serviceChange } from "./service-change.ts";
import { Target } from "./target.ts";
import { writeVerb, type Given } from "./verb.ts";

type Power = {
  readonly name: "start" | "stop" | "restart";
  readonly op: "startService" | "stopService" | "restartService";
  readonly summary: string;
  readonly risk: Risk;
  /** The status in which there is nothing to do; a restart always does something. */
  readonly already?: string;
  readonly diff: (status: string) => string;
};

/** Start, stop and restart differ in a name and a sentence only. */
export function powerVerb({ name, op, summary, risk, already, diff }: Power): WriteCommand {
  return writeVerb({
    name,
    summary,
    usage: `${name} NAME`,
    example: `${name} web`,
    flags: {},
    deeds: [{ op, risk }],
    words: 1,
    args: z.object({ name: Target }),
    read: ({ positionals: [target] }) => ({ name: target }),
    async propose({ name: target }, given: Given): Promise<Change> {
      const service = await findService(target, given);
      const status = service.status ?? "not told";
      return serviceChange(service, given, { op, body: undefined, diff: status === already ? [] : [diff(status)] });
    },
  });
}
