import { boundedMap } from "../../../platform/bounded-map.ts";

export type OpenViews = {
  /**
   * Records a click or submission in a view. The result is true until this process sees a newer one. Clicks carry Slack's
   * `action_ts`, because two of them may arrive in the wrong order.
   */
  readonly changed: (viewId: string, actionTs?: string) => () => boolean;
};

type Newest = { readonly count: number; readonly actedAt: number };

const MOST = 5_000;

/**
 * The newest interaction in each open view, so that slow work for an earlier one is dropped early. Only this process knows
 * it: a click may reach another replica, so draws also carry the view's `hash`.
 */
export function createOpenViews(): OpenViews {
  const newest = boundedMap<string, Newest>(MOST);
  let counted = 0;
  return {
    changed(viewId, actionTs = "") {
      const before = newest.get(viewId);
      const actedAt = Number(actionTs) || (before?.actedAt ?? 0);
      if (before !== undefined && actedAt < before.actedAt) return () => false;
      counted += 1;
      const count = counted;
      newest.set(viewId, { count, actedAt });
      return () => (newest.get(viewId)?.count ?? count) === count;
    },
  };
}
