import type { World } from "../../../service/contract/world.ts";
import type { ApiFront } from "../support/api-front.ts";
import { allowed, Refused } from "./allowed.ts";
import type { Leg } from "./tour.ts";

export type Accidents = {
  readonly world: World;
  readonly image: string;
  readonly front: ApiFront;
  /** The StatefulSet `db` is there, made by somebody else. */
  readonly somebodyApplies: () => Promise<void>;
  /** Somebody else changes the size of the StatefulSet `db`. */
  readonly meddle: () => Promise<void>;
};

/** Some rights are used only when something goes wrong on the way to the API server. */
export const accidents: readonly Leg<Accidents>[] = [
  // Before an answer gets lost: for a minute after it, a missing right counts as one that isn't known yet.
  { play: somebodyIsFaster, needs: ["get statefulsets of apps"] },
  {
    play: answersGetLost,
    needs: [
      "get deployments of apps",
      "get jobs of batch",
      "get services",
      "get ingresses of networking.k8s.io",
      "get httproutes of gateway.networking.k8s.io",
    ],
  },
  { play: aHalfIsTakenBack, needs: ["get persistentvolumeclaims", "delete persistentvolumeclaims"] },
];

/** The first answer to each creation gets lost: it is sent again, and then read, because the name is taken. */
async function answersGetLost({ world, front, image }: Accidents): Promise<void> {
  const lost = new Set<string>();
  front.onPassing(({ write, when }) => {
    if (when === "before" || !write.startsWith("POST") || lost.has(write)) return undefined;
    lost.add(write);
    return "drop";
  });
  const ports = [{ port: 8080, protocol: "TCP" as const }];
  const body = {
    target_instance_size: 0,
    containers: [{ image, command: ["sh"], ports }],
    port_mappings: [{ container_port: 8080 }],
    binding_domain_name: ["lost.example.com"],
  };
  await allowed(world, "createService", { name: "lost", body });
  await allowed(world, "createJob", { name: "lost", body: { containers: [{ image, command: ["true"] }] } });
}

async function somebodyIsFaster({ world, front, somebodyApplies, meddle }: Accidents): Promise<void> {
  await somebodyApplies();
  let isFirst = true;
  front.onPassing(async ({ write, when }) => {
    if (when === "after" || !write.endsWith("/statefulsets/db") || !isFirst) return undefined;
    isFirst = false;
    await meddle();
    return undefined;
  });
  await allowed(world, "stopService", { name: "db" });
}

/** The second of two disks can't be made, so the first one and the rest of the service are deleted again. */
async function aHalfIsTakenBack({ world, front, image }: Accidents): Promise<void> {
  let claims = 0;
  front.onPassing(({ write, when }) => {
    if (when === "before" && write.startsWith("POST") && write.endsWith("/persistentvolumeclaims")) claims += 1;
    return claims > 1 && write.startsWith("POST") ? "drop" : undefined;
  });
  const volumes = ["one", "two"].map((name) => ({ name, disk_name: `torn-${name}` }));
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const body = { target_instance_size: 0, containers: [{ image, command: ["sh"], volumeMounts }], volumes };
  const { status, text } = await world.ask("createService", { name: "torn", body });
  if (status === 503 && !text.includes("Taking it back failed")) return;
  throw new Refused(`createService answered ${status}: ${text}`);
}
