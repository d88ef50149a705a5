import type { Stage } from "./pictures.ts";
import { moment, service, shop } from "./shop.ts";

const ago = (minutes: number): string => new Date(moment - minutes * 60_000).toISOString();

const well = service("payments");
const crashing = service("payments", {
  status: "Failed",
  ready_instances: 0,
  restarts: { count: 6, first_at: ago(3), last_at: ago(0), last_reason: "exit code 3" },
  restart_count: 6,
  last_state: { reason: "Error", exit_code: 3, finished_at: ago(0) },
});

export const watchedShop = () => shop([well, service("checkout"), service("search")]);

/** Gantry looks once a minute. */
async function passes({ town }: Stage, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    town.passMinutes(1);
    await town.sweep();
    await town.settled();
  }
}

/** What payments does while it is watched. */
export const watching = {
  async fails(stage: Stage): Promise<void> {
    await passes(stage, 1);
    stage.api.services.set("payments", crashing);
    await passes(stage, 3);
  },
  async recovers(stage: Stage): Promise<void> {
    stage.api.services.set("payments", { ...well, restart_count: 6 });
    await passes(stage, 2);
  },
  passes,
};
