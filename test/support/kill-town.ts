import type { OperationId } from "../../src/api/operations.ts";
import { approvalTown } from "./approval-town.ts";
import { createStalls, type Moment, type Stalls } from "./stalls.ts";
import type { StorePoint } from "./store-point.ts";
import type { World, WorldOptions } from "./world.ts";

type Kill = {
  readonly town: World;
  readonly stalls: Stalls;
  /** Stops the bot there, does what leads to it, and kills the bot; then another one starts. */
  readonly killAt: (what: StorePoint | OperationId, moment: Moment, deed: () => Promise<unknown>) => Promise<void>;
};

type KillOptions = Omit<WorldOptions, "store" | "via" | "drain"> & {
  /** How long a bot may take to say goodbye; those that are killed have nothing to say, so nobody waits for them. */
  readonly goodbyeMs?: number;
};

/** An approval town whose bot can be killed at any point of its way. */
export async function killTown({ goodbyeMs = 50, ...options }: KillOptions = {}): Promise<Kill> {
  const stalls = createStalls();
  const drain = { graceMs: 50, goodbyeMs };
  const town = await approvalTown({ ...options, drain, store: stalls.store, via: stalls.via });
  return {
    town,
    stalls,
    async killAt(what, moment, deed) {
      stalls.at(what, moment);
      await deed();
      await town.until(stalls.isReached);
      stalls.clear();
      await town.crashBot();
      await town.settled();
      await town.sweep();
    },
  };
}

/** All cards of changes that somebody sees, with the buttons that they have. */
export function buttons({ developer }: World): readonly string[] {
  return developer.sees("ops").flatMap(({ text }) => text.match(/\[(?:Approve|Reject|Cancel request)\]/gu) ?? []);
}
