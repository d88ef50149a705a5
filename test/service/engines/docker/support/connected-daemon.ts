import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stillClock } from "../../../../support/test-clock.ts";
import type { Clock } from "../../../../../src/platform/clock.ts";
import { containerName, labelsOf, makeUserNetworks } from "../../../../../src/service/engines/docker/container-spec.ts";
import { ownContainers } from "../../../../../src/service/engines/docker/data-folder.ts";
import { watchContainers } from "../../../../../src/service/engines/docker/units/container-watch.ts";
import { startContainer } from "../../../../../src/service/engines/docker/docker-runtime.ts";
import { type FakeDaemon, foundAt } from "./fake-daemon.ts";

export const owner = "0b5f6e0e";
export const labels = { workload: "us/dana/service/web", instance: "web-0", container: 0, generation: 3 };
export const name = containerName(owner, labels);

/** What the engine has of one instance's container on this daemon. */
export async function connected(daemon: FakeDaemon, clock: Clock = stillClock()) {
  const found = await foundAt(daemon);
  const folder = mkdtempSync(join(tmpdir(), "gantry-containers-"));
  const { daemon: api, isOwn } = ownContainers(found.daemon, { folder, owner });
  const watch = watchContainers({ clock, daemon: api, owner, title: "Docker", onEvent: () => undefined });
  return {
    watch,
    compare: watch.compare,
    start: () =>
      startContainer(
        {
          ...labels,
          username: "dana",
          region: "us",
          definition: { name: "web", image: "web:1", pullAlways: false, ports: [], mounts: [] },
          volumes: [],
          ports: [80],
          syncTimezone: false,
        },
        {
          clock,
          daemon: api,
          isOwn,
          owner,
          isPodman: false,
          title: "Docker",
          answeredMs: clock.elapsedMs,
          watch,
          networks: makeUserNetworks(api, owner),
          graceSeconds: 1,
          onEvent: () => undefined,
        },
        () => undefined,
      ),
    [Symbol.dispose]() {
      watch.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the daemon tells of that container. */
export function inspected(id: string, status: string) {
  const state = { Status: status, ExitCode: 0, FinishedAt: "0001-01-01T00:00:00Z" };
  const config = { Image: "shop/web:1", Labels: labelsOf(owner, labels) };
  const of = { Id: id, Name: `/${name}`, Image: "sha256:1d", Config: config };
  return { ...of, HostConfig: {}, State: state, NetworkSettings: {} };
}
