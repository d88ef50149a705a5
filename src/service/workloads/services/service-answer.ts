import type {
  CreatedService,
  Revision as RevisionBody,
  Rollout as RolloutBody,
  Service as ServiceBody,
  ServiceContainer,
} from "../../../api/schema.ts";
import { defined } from "../../../platform/optional.ts";
import { type Container, enforcedFields, type EnforcedMib } from "../definitions.ts";
import type { Service } from "../state/store.ts";
import { ownerFields, type Ownership, refusedFields, unwellFields, type Unwell } from "../answer-fields.ts";
import type { Restarts } from "../lifecycle/exit.ts";
import { refusedMoves } from "./service-status.ts";

export type StatusWithReason = Unwell & {
  readonly state: string;
  readonly since?: string | undefined;
  readonly ready?: number;
  /** The engine's own period in which an instance has to be ready. */
  readonly minReadySeconds?: number;
  readonly rollout?: ServiceRollout | undefined;
  /** The number of the current revision. */
  readonly revision?: number;
  /** Newest first. */
  readonly revisions?: readonly ShownRevision[];
  readonly restarts?: Restarts;
  /** In the order of the containers, then of those that start before them, as far as they are known; see ImageDigest in openapi.yaml. */
  readonly imageDigests?: readonly (string | undefined)[];
  /** Names of the instances that aren't stopping, as in the log. */
  readonly instanceNames?: readonly string[];
};

/** The answer to a deletion, which goes on after it while instances still stop: until then, reads answer `Deleting`. */
export function deletedService(isGone: boolean): string {
  if (isGone) return "Service was deleted successfully";
  return "Service is being deleted: its instances are still stopping. It is gone when a read of it answers 404.";
}

/** How instances are replaced; see Rollout in openapi.yaml. */
export type ServiceRollout = {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly state: "progressing" | "done" | "stuck" | "aborted";
  readonly updated: number;
  readonly ready: number;
  readonly oldReady?: number | undefined;
  readonly target: number;
  readonly since?: string | undefined;
  readonly endedAt?: string | undefined;
  readonly message?: string | undefined;
};

/** See Revision in openapi.yaml. */
export type ShownRevision = {
  readonly number: number;
  readonly images: readonly string[];
  readonly digests?: readonly string[] | undefined;
  readonly createdAt?: string | undefined;
  readonly outcome?: "done" | "aborted" | undefined;
  readonly endedAt?: string | undefined;
  /** Same images and variables as the current one. */
  readonly isCurrent?: boolean;
};

/** A service without what only some engines keep of it. */
export type DescribedService = Omit<Service, "alsoCurrent" | "revisions">;

/** What is known besides the service itself. */
export type AroundService = Ownership & { readonly enforcedMib?: EnforcedMib | undefined };

/** A service in a list. */
export function listedService(
  service: DescribedService,
  status: StatusWithReason,
  around: AroundService = {},
): ServiceBody {
  const { state, since, ready, restarts, minReadySeconds = 0, rollout, revision, imageDigests = [] } = status;
  return {
    uid: service.uid,
    name: service.name,
    created_at: service.createdAt,
    status: state,
    ...defined({ status_since: since, ready_instances: ready, revision }),
    ...(minReadySeconds > 0 && { min_ready_seconds: minReadySeconds }),
    ...(isUnderWay(rollout) && { rollout: rolloutBody(rollout) }),
    ...(restarts !== undefined && { restarts: { ...restarts } }),
    ...unwellFields(status),
    ...ownerFields(around),
    containers: service.definition.containers.map((container, at) => ({
      ...readContainer(container, around),
      ...(imageDigests[at] !== undefined && { image_digest: imageDigests[at] }),
    })),
    ...described(service),
  };
}

/** A service that is read alone. */
export function readService(
  service: DescribedService,
  status: StatusWithReason,
  around: AroundService = {},
): ServiceBody {
  const listed = around.refused ?? [];
  const isListed = (operation: string): boolean =>
    listed.some((each) => each.operation === operation && each.part === undefined);
  const moves = refusedMoves(service.name, status.state).filter(({ operation }) => !isListed(operation));
  const refused = [...listed, ...moves];
  return {
    region: service.region,
    ...listedService(service, status, around),
    ...(status.rollout && { rollout: rolloutBody(status.rollout) }),
    ...(status.instanceNames && { instance_names: [...status.instanceNames] }),
    ...(status.revisions && { revisions: status.revisions.slice(0, MOST_REVISIONS).map(revisionBody) }),
    ...refusedFields({ refused }),
  };
}

const MOST_REVISIONS = 10;

function isUnderWay(rollout: ServiceRollout | undefined): rollout is ServiceRollout {
  return rollout?.state === "progressing" || rollout?.state === "stuck";
}

function rolloutBody({ oldReady, endedAt, ...rest }: ServiceRollout): RolloutBody {
  return defined({ ...rest, old_ready: oldReady, ended_at: endedAt });
}

function revisionBody({
  number,
  images,
  digests,
  createdAt,
  endedAt,
  outcome,
  isCurrent,
}: ShownRevision): RevisionBody {
  return {
    revision: number,
    images: [...images],
    ...(digests !== undefined && { image_digests: [...digests] }),
    ...defined({ created_at: createdAt, outcome, ended_at: endedAt }),
    ...(isCurrent === true && { is_current: true }),
  };
}

/** A service in the answer to its creation: no status yet, and ports named as in the request. */
export function createdService(service: DescribedService, around: AroundService = {}): CreatedService {
  const { name, definition } = service;
  const containers = definition.containers.map((container) => ({
    ...containerFields(container, around),
    ports: container.ports.map(({ port, protocol }) => ({ port, protocol })),
  }));
  return { name, containers, ...described(service) };
}

function described({ definition, addresses }: DescribedService) {
  const mappings = definition.ports.map(({ containerPort, protocol }) => {
    const address = addresses.get(containerPort);
    return { ...(address !== undefined && { service_url: address }), container_port: containerPort, protocol };
  });
  const first = mappings[0]?.service_url;
  return {
    target_instance_size: definition.size,
    port_mappings: mappings,
    volumes: definition.volumes.map(({ name, diskName, readOnly }) => ({
      name,
      disk_name: diskName,
      fsType: FS_TYPE,
      is_read_only: readOnly,
    })),
    // A service without a port mapping cannot be reached, so it has no address.
    ...(first !== undefined && { default_domain_name: first }),
    binding_domain_name: [...definition.domains],
  };
}

/** The value of the API's example; the real file system depends on the runtime. */
const FS_TYPE = "ext4";

function readContainer(container: Container, around: AroundService): ServiceContainer {
  return {
    name: container.name,
    ...containerFields(container, around),
    ports: container.ports.map(({ port, protocol }) => ({ container_port: port, protocol })),
    imagePullPolicy: container.pullAlways ? "Always" : "IfNotPresent",
  };
}

function containerFields(
  { image, command, env, memoryMib, mounts }: Container,
  { enforcedMib }: AroundService,
): ServiceContainer {
  return {
    image,
    command: [...(command ?? [])],
    env: [...(env ?? [])],
    resources: {
      ...(memoryMib !== undefined && { limits: { memory: String(memoryMib) } }),
      ...enforcedFields(memoryMib, enforcedMib),
    },
    volumeMounts: mounts.map(({ name, mountPath }) => ({ name, mountPath })),
  };
}
