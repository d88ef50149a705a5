import { type MovedChannels, withMovedChannels, type Policy } from "../policy/policy.ts";
import type { Store } from "../store/store.ts";

export type MovedPolicy = {
  /** Reads which channels have another id by now. */
  readonly refresh: () => Promise<void>;
  /** The policy of a workspace, with the ids that its channels have now. */
  readonly of: (teamId: string | undefined, policy: Policy) => Policy;
};

/** Policy files name channels by id, and Slack may give a channel another one. */
export function createMovedPolicy(store: Pick<Store, "movedChannels">): MovedPolicy {
  let byTeam: ReadonlyMap<string, MovedChannels> = new Map();
  return {
    async refresh() {
      const moves = Map.groupBy(await store.movedChannels(), ({ teamId }) => teamId);
      byTeam = new Map([...moves].map(([teamId, all]) => [teamId, new Map(all.map(({ from, to }) => [from, to]))]));
    },
    of(teamId, policy) {
      const moved = byTeam.get(teamId ?? "");
      return moved === undefined ? policy : withMovedChannels(policy, moved);
    },
  };
}
