import { asRead } from "../../../support/as-read.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answerShapes, type Service } from "../../../../src/api/answers.ts";
import { serviceStatus } from "../../../../src/api/workload-status.ts";
import { dotOf } from "../../../../src/bot/views/kit/health.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo } from "../support/script.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.nat(600).map((seconds) => new Date(Date.parse("2026-11-21T11:45:00Z") + seconds * 1000).toISOString());

const service: fc.Arbitrary<Service> = fc
  .record({
    status: fc.constantFrom("Running", "Starting", "Updating", "Failed", "Stopped", "CrashLoopBackOff", "Odd"),
    status_since: maybe(time),
    message: maybe(fc.constantFrom("web-1 exited with code 137", "no node has room")),
    restart_count: maybe(fc.nat(8)),
    last_state: maybe(
      fc.record({
        reason: maybe(fc.constantFrom("OOMKilled", "Error", "ContainerCannotRun")),
        exit_code: maybe(fc.constantFrom(2, 137)),
        finished_at: maybe(time),
      }),
    ),
    ready_instances: maybe(fc.nat(4)),
    target_instance_size: maybe(fc.nat(4)),
    restarts: maybe(fc.record({ count: maybe(fc.nat(8)), first_at: maybe(time), last_at: maybe(time) })),
  })
  .map((fields) => asRead(answerShapes.getService.parse({ name: "web", uid: "u1", ...fields })));

test("list and show give a service the dot and the words of the one judgement", async () => {
  await fc.assert(
    fc.asyncProperty(service, async (given) => {
      const { level, words } = serviceStatus(given);
      const dot = dotOf({ level });
      const script = { services: [given] };
      const [list, show] = [drawn(await answerTo("list", script)), drawn(await answerTo("show service/web", script))];

      expect(list).toContain(`${dot} web`);
      expect(list).toContain(words);
      expect(show.split("\n")[0]).toContain(`${dot} web · ${words}`);
    }),
  );
});
