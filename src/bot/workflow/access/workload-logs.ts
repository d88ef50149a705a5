import type { Redacted } from "../../../api/redacted.ts";
import { type Reading, readWorkload } from "../../changes/read-workload.ts";
import type { Logs } from "../../commands/command.ts";
import type { Asked } from "../../logs/threads/threads.ts";
import type { LogPool } from "../../logs/threads/log-pool.ts";
import type { EnvValues, Named } from "./env-values.ts";

type Of = Reading & { readonly account: string; readonly workload: Named; readonly who: string };

/** What logs say, without the known values of their workload's variables. */
export type WorkloadLogs = {
  /** For the verbs, with the account that the log is read with. */
  readonly readWith: (account: string, asked: Asked) => Logs;
  /**
   * One instance's lines. The values of its variables are read first where this process doesn't know them: after a start, and where
   * lists don't tell them. Throws UserError when checking the lines takes too long.
   */
  readonly redact: (lines: readonly string[], of: Of) => Promise<readonly Redacted[]>;
};

export function workloadLogs(pool: Pick<LogPool, "excerpt" | "redact">, env: EnvValues): WorkloadLogs {
  return {
    readWith: (account, asked) => ({
      excerpt: (request, workload) => pool.excerpt({ ...request, secrets: env.values(account, workload) }, asked),
      knowsEnv: (workload) => env.isFresh(account, workload),
    }),
    async redact(lines, { account, workload, who, api, signal }) {
      if (!env.isFresh(account, workload)) await readWorkload({ ...workload, uid: undefined }, { api, signal });
      return pool.redact({ lines, secrets: env.values(account, workload) }, { who, signal });
    },
  };
}
