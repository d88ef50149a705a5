import type { NewHistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { Drift, Health, StoredChange, Who } from "../../../../src/bot/changes/stored-change.ts";
import type { Store } from "../../../../src/bot/store/store.ts";
import { endOf, step, type Step } from "../../../../src/bot/workflow/lifecycle.ts";
import type { NewChange } from "../../../../src/bot/workflow/ports.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";

type AskAgain = Omit<Extract<Step, { readonly name: "askAgain" }>, "name" | "from" | "to"> & { readonly id: string };

/** A store with a function for each step of the lifecycle, so that tests read as what people and replicas do. */
export function withSteps(store: Store) {
  const move = async (
    id: string,
    wanted: Step,
    event: NewHistoryEvent | undefined,
  ): Promise<StoredChange | undefined> => {
    const advanced = await store.advance(id, wanted, event);
    return advanced.kind === "moved" ? advanced.change : undefined;
  };
  return {
    ...store,
    async addChange(change: NewChange, event: NewHistoryEvent) {
      const added = await store.insertChange(change, event);
      if (added === "taken") throw new Error(`the id ${change.id} is taken`);
      if ("unanswered" in added) throw new Error(`${added.unanswered.id} has no answer yet`);
      return added;
    },
    findChange: (id: string) => store.find({ id }),
    changeOfDelivery: (deliveryId: string) => store.find({ deliveryId }),
    waitingLike: (waitKey: string) => store.find({ waitKey }),
    undoOf: (undoOf: string) => store.find({ undoOf }),
    async vote(id: string, by: Who, events: { readonly voted: NewHistoryEvent; readonly approved: NewHistoryEvent }) {
      const advanced = await store.advance(id, step("approve", { by, last: events.approved }), events.voted);
      if (advanced.kind === "moved") return { kind: "counted", change: advanced.change } as const;
      if (advanced.kind === "late" && advanced.change === undefined) return { kind: "missing" } as const;
      return advanced;
    },
    async claim(id: string, event: NewHistoryEvent) {
      const advanced = await store.advance(id, step("claim", {}), event);
      if (advanced.kind === "moved") return { kind: "claimed", change: advanced.change } as const;
      return { kind: advanced.kind === "busy" ? "busy" : "lost" } as const;
    },
    async returnToPending({ id, ...details }: AskAgain, event: NewHistoryEvent) {
      const advanced = await store.advance(id, step("askAgain", details), event);
      if (advanced.kind === "moved") return { kind: "pending", change: advanced.change } as const;
      return advanced.kind === "busy"
        ? ({ kind: "duplicate", earlier: advanced.earlier } as const)
        : ({ kind: "moved" } as const);
    },
    reject: (
      id: string,
      { who, reason }: { readonly who: Who; readonly reason: string | undefined },
      event: NewHistoryEvent,
    ) => move(id, step("reject", { by: who, reason }), event),
    cancel: (id: string, by: Who, event: NewHistoryEvent) => move(id, step("cancel", { by }), event),
    drift: (id: string, drift: readonly Drift[], event: NewHistoryEvent) => move(id, step("drift", { drift }), event),
    refuse: (id: string, outcome: Outcome, event: NewHistoryEvent) => move(id, step("refuse", { outcome }), event),
    doubt: (id: string, outcome: Outcome, event: NewHistoryEvent) => move(id, step("doubt", { outcome }), event),
    settle: (id: string, outcome: Outcome, event: NewHistoryEvent) =>
      move(id, step(endOf[outcome.kind], { outcome }), event),
    setHealth: (id: string, health: Health, event: NewHistoryEvent | undefined) =>
      move(id, step("follow", { isNews: true, health }), event),
    expireDue: store.expire,
    openChanges: store.open,
    addEvent: store.note,
    async settingsOf(teamId: string, userId: string) {
      const { region } = await store.impliedFor({ teamId, userId, channelId: "C0NONE" });
      return { region };
    },
  };
}

export type Steps = ReturnType<typeof withSteps>;
