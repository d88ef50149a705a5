import type { Context, Action } from "../command.ts";
import { create } from "../verbs/create/create.ts";
import { remove } from "../verbs/delete.ts";
import { domains } from "../verbs/domains.ts";
import { logs } from "../verbs/logs/logs.ts";
import { bestVerdict } from "./best-verdict.ts";
import { readRefusal } from "./may-see.ts";
import { memory } from "../verbs/memory.ts";
import { restart } from "../verbs/restart.ts";
import { scale } from "../verbs/scale.ts";
import { start } from "../verbs/start.ts";
import { stop } from "../verbs/stop.ts";

/** What can be done with a workload from its card. */
const changes = [scale, memory, domains, start, stop, restart, remove];

/** All of them: what is shown to everybody is judged at the click. */
export const cardVerbs: readonly string[] = [logs, create, ...changes].map(({ name }) => name);

type Shown = { readonly kind: "service" | "job"; readonly name: string; readonly region: string };

/** Those that policy would not refuse this person with this very workload here. Takes no call of the service. */
export async function mayDoWith(shown: Shown, context: Pick<Context, "permissions">): Promise<readonly string[]> {
  const judged = changes.map(async (command) => {
    const verdict = await bestVerdict(command, shown, context);
    return verdict === undefined || verdict.kind === "refuse" ? [] : [command.name];
  });
  const [mayLog, mayCreate, ...rest] = await Promise.all([
    mayReadLog(shown, context),
    mayCreateAlike(shown, context),
    ...judged,
  ]);
  return [...(mayLog ? [logs.name] : []), ...(mayCreate ? [create.name] : []), ...rest.flat()];
}

async function mayReadLog(shown: Shown, context: Pick<Context, "permissions">): Promise<boolean> {
  const verdict = await bestVerdict(logs, shown, context);
  return verdict !== undefined && readRefusal(verdict) === undefined;
}

/** The new one will be called otherwise, so that what the rules say to this name does not count. */
async function mayCreateAlike({ kind }: Shown, { permissions }: Pick<Context, "permissions">): Promise<boolean> {
  const isOf = ({ op }: Action): boolean => op === (kind === "job" ? "createJob" : "createService");
  return (await permissions.outlook(create.actions.filter(isOf))) !== "refuse";
}
