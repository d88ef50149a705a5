import type { StoredChange } from "../../changes/stored-change.ts";
import { freshness, type People } from "../ports.ts";
import type { Names } from "../../views/kit/post.ts";

/**
 * Names of the people and user groups that may approve, for texts without mentions and for screen readers. Leaves out
 * names that Slack can't say: the card then shows ids.
 */
export async function namesFor(people: People, { state, terms }: StoredChange): Promise<Names> {
  if (terms === undefined || state !== "pending") return {};
  const { users, groups } = terms.from;
  const named = await Promise.all(
    users.map(async (id) => {
      const profile = await people.profile(id, freshness.reading).catch(() => undefined);
      return profile === undefined ? [] : [[id, profile.name] as const];
    }),
  );
  const handles = groups.length === 0 ? undefined : await people.groupHandles().catch(() => undefined);
  const grouped = groups.flatMap((id) => {
    const handle = handles?.get(id);
    return handle === undefined ? [] : [[id, handle] as const];
  });
  return Object.fromEntries([...named.flat(), ...grouped]);
}
