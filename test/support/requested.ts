import type { World } from "./world.ts";

/** Ids of all requests that became a Change, oldest first. */
export async function requested({ store }: Pick<World, "store">): Promise<readonly string[]> {
  const events = await store().history({ teamId: "T0PLAYGR", limit: 1_000 });
  const ids = events.filter(({ kind }) => kind === "requested").flatMap(({ changeId }) => changeId ?? []);
  return [...new Set(ids.toReversed())];
}
