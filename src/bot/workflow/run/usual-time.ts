import { isDeepStrictEqual } from "node:util";
import type { Change } from "../../changes/change.ts";
import type { StoredChange, UsualTime } from "../../changes/stored-change.ts";
import type { WorkflowParts } from "../ports.ts";
import { contentOf } from "../stored-request.ts";

/** Only the newest runs count, because a job may have grown slower. */
const MOST_RUNS = 9;

/**
 * Usual duration of a job, by completed jobs of this account with its name, else of its CronJob or image. Undefined
 * without any. Rejects when the database doesn't answer.
 */
export async function usualTime(
  { store, sealer }: WorkflowParts,
  stored: StoredChange,
  change: Change,
): Promise<UsualTime | undefined> {
  const { teamId, account, workload } = stored;
  const earlier = await store.completedJobs({ teamId, account: account.username, region: workload.region });
  const named = earlier.filter((each) => each.workload.name === workload.name);
  const runs = whatRuns(change);
  const alike =
    named.length > 0
      ? named
      : earlier.filter((each) => isDeepStrictEqual(whatRuns(contentOf(sealer, each)?.change), runs));
  const times = alike.flatMap(({ health }) => health?.afterMs ?? []).slice(0, MOST_RUNS);
  const ms = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
  return ms === undefined ? undefined : { ms, runs: times.length };
}

/** Its CronJob, or its image and command. Other settings hardly change how long it takes. */
function whatRuns(change: Change | undefined) {
  if (change?.call.op !== "createJob") return undefined;
  const { from_cron_job: cronJob, containers = [] } = change.call.body;
  return { cronJob, containers: containers.map(({ image, command }) => ({ image, command })) };
}
