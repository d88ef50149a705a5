import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { missingFor } from "../../support/daemons/daemon-command.ts";
import { ownDaemon } from "../../support/daemons/own-daemon.ts";
import { daemonOf, testDaemons } from "../../support/docker.ts";
import { until } from "../../support/until.ts";

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`a daemon for tests: ${daemon.title}`, () => {
    const label = `gantry.test=${randomBytes(4).toString("hex")}`;
    const [key = "", value = ""] = label.split("=");
    afterAll(() => daemon.removeWith(label));

    test("has the image, runs it, and removes what carries a label", async () => {
      const command = ["sh", "-c", "trap 'exit 0' TERM; sleep 1000000 & wait"];
      const body = { Image: daemon.image, Cmd: command, Labels: { [key]: value } };
      const { Id: id } = (await daemon.must({ method: "POST", path: "/containers/create", body })) as { Id: string }; // Docker's API

      await daemon.must({ method: "POST", path: `/containers/${id}/start` });
      expect(await daemon.containersWith(label)).toMatchObject([{ id, state: "running", labels: { [key]: value } }]);

      await daemon.removeWith(label);
      await until(async () => (await daemon.containersWith(label)).length === 0);
    });

    test("tells which request failed, and why", async () => {
      await expect(daemon.must({ method: "GET", path: "/containers/gantry-none/json" })).rejects.toThrow(
        /^GET \/containers\/gantry-none\/json: 404 .*gantry-none/u,
      );
    });

    const notHere = daemon.missing ?? missingFor(daemon.kind);
    test.skipIf(notHere !== undefined)(
      `another one of its own can be ended and started again${notHere ?? ""}`,
      async () => {
        const own = ownDaemon(daemon.kind);
        try {
          await own.start();
          await own.end("SIGKILL");
          await own.start();
          const started = await daemonOf(own.kind, own.host);

          expect(await started.containersWith(label)).toEqual([]);
        } finally {
          own.remove();
        }
      },
    );
  });
}
