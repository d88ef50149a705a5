import { z } from "zod";
import type { ContainerHealth, InspectedContainer, Labels, ListedContainer } from "./daemon-api.ts";

/** Parts of the daemon's answers; everything else in them is ignored. */

const LabelMap = z.record(z.string(), z.string()).nullish();

export const Version = z.object({
  Version: z.string(),
  ApiVersion: z.string(),
  MinAPIVersion: z.string().optional(),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});

export const Info = z.object({
  MemTotal: z.number(),
  MemoryLimit: z.boolean().optional(),
  DockerRootDir: z.string().optional(),
  SecurityOptions: z.array(z.string()).nullish(),
});

export const Created = z.object({ Id: z.string() });

export const Listed = z.array(
  z.object({ Id: z.string(), Names: z.array(z.string()).nullish(), Labels: LabelMap, State: z.string() }),
);

export const Volume = z.object({ Name: z.string() });

export const Networks = z.array(z.object({ Name: z.string() }));

export const Event = z.object({ Action: z.string(), Actor: z.object({ ID: z.string() }) });

export const Image = z.object({ Id: z.string(), RepoDigests: z.array(z.string()).nullish() });

export const Line = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional() }).optional(),
  error: z.string().optional(),
});

/** Times are in nanoseconds; 0 is the default. */
const HealthCheck = z.object({
  Test: z.array(z.string()).nullish(),
  Interval: z.number().optional(),
  Timeout: z.number().optional(),
  StartPeriod: z.number().optional(),
  Retries: z.number().optional(),
});

const HealthState = z.object({ Status: z.string(), Log: z.array(z.object({ End: z.string() })).nullish() });

export const Inspected = z.object({
  Id: z.string(),
  Name: z.string(),
  Image: z.string(),
  Config: z.object({
    Image: z.string(),
    Labels: LabelMap,
    Tty: z.boolean().optional(),
    Healthcheck: HealthCheck.nullish(),
  }),
  HostConfig: z.object({ Memory: z.number().optional() }),
  State: z.object({
    Status: z.string(),
    Paused: z.boolean().optional(),
    OOMKilled: z.boolean().optional(),
    ExitCode: z.number(),
    FinishedAt: z.string(),
    Health: HealthState.nullish(),
  }),
  NetworkSettings: z.object({
    Ports: z.record(z.string(), z.array(z.object({ HostPort: z.string() })).nullable()).nullish(),
    Networks: z
      .record(z.string(), z.object({ Gateway: z.string().nullish(), IPAddress: z.string().nullish() }))
      .nullish(),
  }),
});

function labelsIn(labels: z.infer<typeof LabelMap>): Labels {
  return labels ?? {};
}

/** Docker puts a slash before a name. Another one in it makes it the name of a link to the container. */
function nameIn(names: readonly string[]): string {
  return names.map((name) => name.replace(/^\//u, "")).find((name) => !name.includes("/")) ?? "";
}

export function listedOf({ Id, Names, Labels: labels, State }: z.infer<typeof Listed>[number]): ListedContainer {
  return {
    id: Id,
    name: nameIn(Names ?? []),
    labels: labelsIn(labels),
    state: stateOf(State),
    isPaused: State === "paused",
  };
}

export function inspectedOf({
  Id,
  Name,
  Image: imageId,
  Config,
  HostConfig,
  State,
  NetworkSettings,
}: z.infer<typeof Inspected>): InspectedContainer {
  const state = stateOf(State.Status);
  return {
    id: Id,
    name: nameIn([Name]),
    image: { name: Config.Image, id: imageId },
    labels: labelsIn(Config.Labels),
    state,
    isPaused: State.Paused ?? false,
    isBeingRemoved: ["removing", "dead"].includes(State.Status),
    hasTerminal: Config.Tty ?? false,
    exitCode: state === "ended" ? State.ExitCode : null,
    isOutOfMemory: State.OOMKilled ?? false,
    // The daemons write the year 1 for "never".
    finishedAt: State.FinishedAt.startsWith("0001-") ? undefined : new Date(State.FinishedAt).toISOString(),
    memoryBytes: HostConfig.Memory === 0 ? undefined : HostConfig.Memory,
    health: healthIn(State.Health, Config.Healthcheck),
    ports: portsIn(NetworkSettings.Ports ?? {}),
    networks: Object.values(NetworkSettings.Networks ?? {}).flatMap(({ Gateway: gateway, IPAddress: address }) =>
      gateway && address ? [{ gateway, address }] : [],
    ),
  };
}

/** Podman has a state of health also without a check. `NONE` is where somebody turned the image's check off. */
function healthIn(
  found: z.infer<typeof HealthState> | null | undefined,
  check: z.infer<typeof HealthCheck> | null | undefined,
): ContainerHealth | undefined {
  if (!found || !check || check.Test?.[0] === "NONE") return undefined;
  const { Interval = 0, Timeout = 0, StartPeriod = 0, Retries = 0 } = check;
  return {
    state: found.Status === "healthy" || found.Status === "unhealthy" ? found.Status : "starting",
    checkedAt: found.Log?.at(-1)?.End,
    intervalMs: Interval === 0 ? 30_000 : Interval / NANOSECONDS,
    timeoutMs: Timeout === 0 ? 30_000 : Timeout / NANOSECONDS,
    startMs: StartPeriod / NANOSECONDS,
    retries: Retries === 0 ? 3 : Retries,
  };
}

/** In a millisecond. */
const NANOSECONDS = 1_000_000;

/** Podman also says `configured`, `initialized` and `stopped`. */
function stateOf(status: string): InspectedContainer["state"] {
  if (["created", "configured", "initialized"].includes(status)) return "created";
  return ["exited", "dead", "stopped", "removing"].includes(status) ? "ended" : "running";
}

function portsIn(ports: Readonly<Record<string, readonly { HostPort: string }[] | null>>): Map<number, number> {
  return new Map(
    Object.entries(ports).flatMap(([name, hosts]) => {
      const host = hosts?.[0];
      return host ? [[Number.parseInt(name, 10), Number(host.HostPort)] as const] : [];
    }),
  );
}
