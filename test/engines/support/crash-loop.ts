import { says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** From the second restart to the message in the channel, on a quiet machine. */
const TOLD_WITHIN_MS = 10_000;

/** Creates a service that crashes again and again, and waits until a watch tells of it, with its last lines. */
export async function toldOfCrashLoop(town: World, image: string): Promise<{ card: string; isInTime: boolean }> {
  const told = (): string | undefined =>
    town.developer.sees("ops").find(({ text }) => text.startsWith("🔴 flaky keeps crashing"))?.text;
  const restarts = async (): Promise<number> =>
    (await town.services()).find(({ name }) => name === "flaky")?.restart_count ?? 0;
  await says(town, town.developer, "/gantry watch all --after 0s");

  await town.api.send({
    op: "createService",
    path: { region: "beijing1", service_name: "flaky" },
    query: undefined,
    body: {
      target_instance_size: 1,
      containers: [
        {
          image,
          command: ["sh", "-c", "trap 'exit 0' TERM; echo the disk is full; sleep 1; exit 3"],
          resources: { limits: { memory: "256" } },
        },
      ],
    },
  });
  await town.until(async () => (await restarts()) >= 2);
  const restartedAt = performance.now();
  await town.until(() => told() !== undefined);
  const tookMs = performance.now() - restartedAt;

  await town.until(() => /the disk is full/u.test(town.thread("ops").join("\n")));
  return { card: told() ?? "", isInTime: tookMs < TOLD_WITHIN_MS };
}

export const tellsWhy = /^🔴 flaky keeps crashing\n[^\n]*\bexit 3\b/u;
