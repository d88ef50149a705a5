import type { OpenAccount } from "../accounts/account.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { UserError } from "../errors.ts";
import { judgeFor } from "./context.ts";
import { freshness } from "./people.ts";
import type { Shell } from "./shell.ts";

type Asked = { readonly change: StoredChange; readonly account: OpenAccount };

/** Between request and execution people leave and rules change: what is refused now is not sent. Throws `UserError`. */
export async function stillAllowed(shell: Shell, { change, account }: Asked): Promise<void> {
  const { requester, channelId, breakGlass, op, risk, workload } = change;
  const profile = await shell.people.profile(requester.userId, freshness.deciding, requester.name);
  const judge = judgeFor(shell, { profile, channelId, account });
  const verdict = await judge.verdict({ op, risk, workload }, { breakGlass });
  if (verdict.kind !== "refuse") return;
  throw new UserError(`${requester.name} may not do this any more: ${verdict.why}`, { next: verdict.next });
}
