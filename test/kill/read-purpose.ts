import type { CallName } from "./points.ts";
import type { Step } from "./ipc.ts";

/** What a read of the workload is for, told from what happened before it; a round is about one workload. */
export type ReadPurpose = {
  readonly onStep: (step: Step) => void;
  readonly onWrite: () => void;
  readonly onKill: () => void;
  readonly reset: () => void;
  readonly read: () => Extract<CallName, `service: read ${string}`>;
};

type Where = "proposing" | "stored" | "sent" | "written" | "in doubt" | "settled";

const reads: Readonly<Record<Where, ReturnType<ReadPurpose["read"]>>> = {
  proposing: "service: read to propose",
  stored: "service: read for drift",
  sent: "service: read to settle",
  written: "service: read back",
  "in doubt": "service: read to settle",
  settled: "service: read for health",
};

export function createReadPurpose(): ReadPurpose {
  let where: Where = "proposing";
  return {
    onStep({ edge, when, isEffective }) {
      if (when !== "after" || isEffective !== true) return;
      if (edge === "insertChange") where = "stored";
      if (edge === "claim") where = "sent";
      if (edge === "doubt") where = "in doubt";
      if (edge === "succeed" || edge === "fail" || edge === "giveUp") where = "settled";
      // Taken back or asked again: it begins anew.
      if (edge === "accept" && where === "settled") where = "proposing";
    },
    onWrite: () => void (where = "written"),
    // Whoever takes over knows less than whoever sent it.
    onKill: () => void (where = where === "sent" || where === "written" ? "in doubt" : where),
    reset: () => void (where = "proposing"),
    read: () => reads[where],
  };
}
