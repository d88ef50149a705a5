import { approvalTown } from "./approval-town.ts";
import type { World, WorldOptions } from "./world.ts";

type Gated = {
  readonly town: World;
  /** From now on every answer of the service waits. */
  readonly hold: () => void;
  /** What waits is answered, and what comes later at once. */
  readonly release: () => void;
  /** What waits, and what comes later, is answered as a service does that cannot. */
  readonly breakDown: () => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Gate = "open" | "held" | "broken";

/** A town whose service can be made to wait with all its answers, and to break down. */
export async function gatedTown(options: Omit<WorldOptions, "engine" | "apiFetch" | "via"> = {}): Promise<Gated> {
  let opened = Promise.withResolvers<void>();
  let gate: Gate = "open";
  const turn = (to: Gate): void => {
    if (to === "held" && gate !== "held") opened = Promise.withResolvers();
    if (to !== "held") opened.resolve();
    gate = to;
  };
  const isBroken = (): boolean => gate === "broken";
  const town = await approvalTown({
    ...options,
    via: async (request, send) => {
      if (gate === "held") await opened.promise;
      return isBroken() ? Response.json({ message: "moving" }, { status: 503 }) : send(request);
    },
  });
  return {
    town,
    hold: () => turn("held"),
    release: () => turn("open"),
    breakDown: () => turn("broken"),
    async [Symbol.asyncDispose]() {
      turn("broken");
      await town.close();
    },
  };
}
