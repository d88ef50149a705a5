import type { Unwell } from "../unwell.ts";
import type { ServiceInstance } from "./service-instance.ts";

/** How unwell the present instances of a service are. One that stops may end as it likes. */
export function unwellOf(instances: readonly Pick<ServiceInstance, "state" | "crashes" | "waits">[]): Unwell {
  const present = instances.filter((each) => each.state() !== "stopping");
  const crashed = present.flatMap((each) => {
    const { last } = each.crashes();
    return last === undefined ? [] : [{ ...last, isReady: each.state() === "ready" }];
  });
  const newestFirst = crashed.toSorted((left, right) => (left.at > right.at ? -1 : 1));
  return {
    restartCount: present.reduce((sum, each) => sum + each.crashes().count, 0),
    lastState: newestFirst.find(({ end }) => end !== undefined)?.end,
    message: newestFirst.find(({ isReady }) => !isReady)?.how ?? waiting(present),
  };
}

function waiting(present: readonly Pick<ServiceInstance, "waits">[]): string | undefined {
  return present.map((each) => each.waits()).find((line) => line !== undefined);
}
