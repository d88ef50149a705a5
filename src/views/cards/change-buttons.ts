import type { ChangeState, StoredChange } from "../../changes/stored-change.ts";
import { actButton, actions } from "../kit/blocks.ts";
import type { Block } from "../kit/message.ts";

type Act = { readonly label: string; readonly act: string; readonly style?: "primary" | "danger" };

const approve: Act = { label: "Approve", act: "change:approve", style: "primary" };
const reject: Act = { label: "Reject", act: "change:reject", style: "danger" };
const cancel: Act = { label: "Cancel", act: "change:cancel" };
const undo: Act = { label: "Undo", act: "change:undo" };
const again: Act = { label: "Ask again", act: "change:again" };

const acts: Readonly<Record<ChangeState, readonly Act[]>> = {
  pending: [approve, reject, cancel],
  approved: [cancel],
  claimed: [],
  done: [undo],
  failed: [],
  unknown: [again],
  rejected: [],
  cancelled: [],
  expired: [again],
  drifted: [again],
};

/** What can still be done with it here; each button carries the Change's id, and what it means is checked at the click. */
export function changeButtons(change: StoredChange, canUndo: boolean): Block[] {
  const { id, state, isUndone, settledAt } = change;
  // While it is being read back, nobody needs to ask again.
  const isOpenDoubt = state === "unknown" && settledAt === undefined;
  const shown = acts[state].filter((act) => (act === undo ? canUndo && !isUndone : !isOpenDoubt));
  return actions(...shown.map((act) => actButton({ ...act, value: id })));
}
