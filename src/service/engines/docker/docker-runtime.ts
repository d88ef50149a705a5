import type { Readiness } from "../../engine.ts";
import { makePortFronts } from "../../workloads/ports.ts";
import type { Runtime, Unit } from "../../workloads/runtime.ts";
import type { ListedContainer } from "./daemon/daemon-schemas.ts";
import { checkImage } from "./images/image-reference.ts";
import type { Images } from "./images/images.ts";
import { titles } from "./descriptor.ts";
import { ownerFilter, unitOf, volumeName, workloadFilter } from "./names.ts";
import { ownContainers } from "./data-folder.ts";
import { makeUserNetworks, enforcedMib } from "./units/container-spec.ts";
import { type DockerContext, unitOver } from "./units/container-unit.ts";
import { watchContainers } from "./units/container-watch.ts";
import { startContainer, stepOf } from "./units/start-container.ts";
import { unawaited } from "../../../platform/waiting.ts";

type DockerRuntimeOptions = Omit<DockerContext, "title" | "isOwn" | "watch" | "networks" | "graceSeconds"> & {
  /** The data folder. `owner` is its id, see data-folder.ts. */
  readonly folder: string;
  readonly images: Images;
  /** Whether the daemon enforces memory limits. */
  readonly limitsMemory: boolean;
  /** 10 s, if undefined. */
  readonly graceSeconds?: number | undefined;
  /** Maximum number of forwarded connections. */
  readonly connections: number;
  /** The address of this machine that port mappings get. */
  readonly portsHost: string;
  readonly readiness: () => Readiness;
};

const GRACE_SECONDS = 10;

export type DockerRuntime = Runtime & {
  /** Notices what happened to the containers meanwhile. Rejects while the daemon doesn't answer. */
  readonly compare: () => Promise<void>;
};

/** Runs units as containers of Docker or Podman. They outlive the server; their labels say which unit they are. */
export function makeDockerRuntime(options: DockerRuntimeOptions): DockerRuntime {
  const { images, isPodman, owner, onEvent, readiness, answeredMs, clock } = options;
  const title = titles[isPodman ? "podman" : "docker"];
  const { daemon, isOwn } = ownContainers(options.daemon, options);
  const watch = watchContainers({ clock, daemon, owner, title, onEvent });
  const networks = makeUserNetworks(daemon, owner);
  const graceSeconds = options.graceSeconds ?? GRACE_SECONDS;
  const context: DockerContext = { ...options, daemon, isOwn, title, watch, networks, graceSeconds };
  const fronts = makePortFronts(options.portsHost, options.connections);
  return {
    keepsUnits: true,
    compare: watch.compare,
    check: checkImage,
    reservedMib: enforcedMib,
    ...(options.limitsMemory && { enforcedMib }),
    prepare: ({ definition: { image, pullAlways } }, { signal, note }) =>
      stepOf(context, () => images.ready(image, { pullAlways, signal, note }), signal),
    start: (spec, note) => startContainer(spec, context, note),
    adopt: () => adopt(context),
    expose: fronts.open,
    drained: fronts.drained,
    volumePath: (source) => volumeName(owner, source),
    async clear(workload) {
      const listed = await daemon.listContainers([ownerFilter(owner), workloadFilter(workload)]);
      for (const { id } of listed) await daemon.removeContainer(id);
      await networks.removeUnused();
    },
    clearOthers: (kept) => clearOthers(context, kept),
    readiness,
    answeredMs,
    async close() {
      watch.close();
      options.disk?.close();
      await fronts.close();
    },
  };
}

async function adopt(context: DockerContext): Promise<readonly Unit[]> {
  const units: Unit[] = [];
  for (const listed of await context.daemon.listContainers([ownerFilter(context.owner)])) {
    const unit = await adoptOne(listed, context);
    if (unit) units.push(unit);
  }
  return units;
}

/** A container that was created and never started is left from a killed server: it is removed. */
async function adoptOne({ id, labels }: ListedContainer, context: DockerContext): Promise<Unit | undefined> {
  const found = await context.daemon.inspectContainer(id);
  const unit = unitOf(labels);
  if (!found || !unit) return undefined;
  if (found.state !== "created") return await unitOver(found, { ...unit, seenIn: context.watch.session() }, context);
  await context.daemon.removeContainer(id);
  return undefined;
}

/** Running ones are being stopped by now, with their grace time. */
async function clearOthers({ daemon, owner, watch, networks, onEvent }: DockerContext, kept: ReadonlySet<string>) {
  try {
    for (const { id, labels, state } of await daemon.listContainers([ownerFilter(owner)])) {
      if (kept.has(unitOf(labels)?.workload ?? "")) continue;
      if (state === "running") unawaited(watch.ended(id, watch.session()).then(() => watch.discard(id)));
      else await daemon.removeContainer(id);
    }
    await networks.removeUnused();
  } catch (error) {
    onEvent("couldn't remove the containers of deleted workloads", { error });
  }
}
