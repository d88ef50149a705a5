import type { Overflow } from "@slack/types";
import type { ChangeState, StoredChange } from "../../changes/stored-change.ts";
import type { Action } from "../kit/action-id.ts";
import { actionButton, actions, limits } from "../kit/blocks.ts";
import { overflow } from "../kit/menu.ts";
import type { Block } from "../kit/message.ts";
import { truncate, visible } from "../kit/text.ts";
import { restLabel } from "./several-card.ts";

type ButtonSpec = {
  readonly action: Action;
  readonly label: (change: StoredChange) => string;
  readonly style?: "primary" | "danger";
};

const approve: ButtonSpec = { label: () => "Approve", action: { kind: "request", act: "approve" }, style: "primary" };
const reject: ButtonSpec = { label: () => "Reject", action: { kind: "request", act: "reject" }, style: "danger" };
const cancel: ButtonSpec = { label: () => "Cancel", action: { kind: "request", act: "cancel" } };
const undo: ButtonSpec = { label: () => "Undo", action: { kind: "request", act: "undo" } };
const again: ButtonSpec = { label: againLabel, action: { kind: "request", act: "again" } };
/** Of several workloads, those that it didn't change. */
const rest: ButtonSpec = { label: againLabel, action: { kind: "request", act: "again" } };
const show: ButtonSpec = { label: showLabel, action: { kind: "request", act: "show" } };
const logs: ButtonSpec = { label: () => "Logs", action: { kind: "request", act: "logs" } };

type Row = { readonly buttons: readonly ButtonSpec[]; readonly menu: boolean };

const rows: Readonly<Record<ChangeState, Row>> = {
  pending: { buttons: [approve, reject, cancel], menu: true },
  approved: { buttons: [cancel], menu: false },
  claimed: { buttons: [], menu: false },
  done: { buttons: [undo, rest, logs, show], menu: false },
  failed: { buttons: [again], menu: true },
  unknown: { buttons: [again, show, logs], menu: false },
  rejected: { buttons: [], menu: false },
  cancelled: { buttons: [], menu: false },
  expired: { buttons: [again], menu: false },
  drifted: { buttons: [again, show], menu: false },
};

/** The buttons of the current state. Each carries only the request's id: a click is checked against the state by then. */
export function changeButtons(change: StoredChange, canUndo: boolean): Block[] {
  const { id, state } = change;
  const { buttons, menu } = rows[state];
  const shown = buttons.filter((spec) => isShown(spec, change, canUndo));
  return actions(
    ...shown.map((spec) => actionButton({ ...spec, label: spec.label(change), value: id })),
    menu && canLook(change) ? lookMenu(change) : undefined,
  );
}

function isShown(spec: ButtonSpec, change: StoredChange, canUndo: boolean): boolean {
  if (spec === again && change.parts !== undefined) return restLabel(change) !== undefined;
  if (spec === rest) return restLabel(change) !== undefined;
  if (spec === undo) return canUndo && !change.isUndone;
  if (spec === show || spec === logs) return canLook(change);
  // The workload is still being read back.
  return change.state !== "unknown" || change.settledAt !== undefined;
}

/** There is nothing to look at before a creation and after a deletion. */
function canLook({ op, state, parts }: StoredChange): boolean {
  // `show` and `logs` are about one workload.
  if (parts !== undefined) return false;
  if (op === "createService" || op === "createJob") return state === "done" || state === "unknown";
  return state !== "done" || (op !== "deleteService" && op !== "deleteJob");
}

function showLabel({ workload }: StoredChange): string {
  return `Show ${truncate(visible(workload.name), 40)}`;
}

/** After drift, the button names what it requests: "Request 4 → 3". */
function againLabel(change: StoredChange): string {
  const { state, ending, parts } = change;
  if (parts !== undefined) return restLabel(change) ?? "Request again";
  if (state !== "drifted") return state === "expired" ? "Request again" : "Try again";
  const [only, ...rest] = ending?.kind === "drifted" ? ending.drift : [];
  if (only?.asked === undefined || rest.length > 0) return "Request again";
  const label = `Request ${visible(only.now)} → ${visible(only.asked)}`;
  return label.length > limits.buttonText ? "Request again" : label;
}

function lookMenu(change: StoredChange): Overflow | undefined {
  const { id } = change;
  return overflow({
    action: { kind: "request", act: "look" },
    options: [
      { value: `logs ${id}`, text: "Show logs" },
      { value: `show ${id}`, text: showLabel(change) },
    ],
  });
}
