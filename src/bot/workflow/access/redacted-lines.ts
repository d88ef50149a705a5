import type { Redacted } from "../../../api/redacted.ts";
import { type Reading, readWorkload } from "../../changes/read-workload.ts";
import type { WorkflowParts } from "../ports.ts";
import type { Named } from "./env-values.ts";

type Of = Reading & { readonly account: string; readonly workload: Named; readonly who: string };

/**
 * One instance's lines without secrets. The values of its variables are read first where this process doesn't know them: after a
 * start, and where lists don't tell them. Throws UserError when checking the lines takes too long.
 */
export async function redactedLines(
  { logs, envValues }: Pick<WorkflowParts, "logs" | "envValues">,
  lines: readonly string[],
  { account, workload, who, api, signal }: Of,
): Promise<readonly Redacted[]> {
  if (!envValues.isFresh(account, workload)) await readWorkload({ ...workload, uid: undefined }, { api, signal });
  return logs.redact({ lines, secrets: envValues.values(account, workload) }, { who, signal });
}
