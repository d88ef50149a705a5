import { z, ZodError } from "zod";
import type { Health } from "../../../workloads/runtime.ts";
import { isHangUp } from "../../../../platform/http/send.ts";

/** Parts of the daemon's answers, in the engine's words; everything else in them is ignored. */

const LabelMap = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels): Labels => labels ?? {});

export type Labels = Readonly<Record<string, string>>;

export const Version = z.object({
  Version: z.string(),
  ApiVersion: z.string(),
  MinAPIVersion: z.string().optional(),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});

export const About = z
  .object({
    MemTotal: z.number(),
    MemoryLimit: z.boolean().default(true),
    DockerRootDir: z.string().optional(),
    SecurityOptions: z.array(z.string()).nullish(),
  })
  .transform(({ MemTotal, MemoryLimit, DockerRootDir, SecurityOptions }) => ({
    memoryMib: MemTotal / 1024 / 1024,
    /** Whether it enforces memory limits; not every rootless one can. */
    limitsMemory: MemoryLimit,
    /** Where it keeps images, containers and their logs, on its own machine. */
    dataFolder: DockerRootDir,
    isRootless: SecurityOptions?.includes("name=rootless") ?? false,
  }));

export const Created = z.object({ Id: z.string() });

export const Volume = z.object({ Name: z.string() });

export const Networks = z.array(z.object({ Name: z.string() }));

/** `die`, `oom`, `start`, `destroy`; Podman says `died` and `remove`. */
export const Event = z
  .object({ Action: z.string(), Actor: z.object({ ID: z.string() }) })
  .transform(({ Action, Actor }) => ({ id: Actor.ID, action: Action }));
export type Event = z.output<typeof Event>;

/** The digests are its names in registries: `shop/web@sha256:…`. There are none for an image that was built on the machine. */
export const Image = z
  .object({ Id: z.string(), RepoDigests: z.array(z.string()).nullish() })
  .transform(({ Id, RepoDigests }) => ({ id: Id, digests: RepoDigests ?? [] }));

export const Line = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional() }).optional(),
  error: z.string().optional(),
});
export type Line = z.output<typeof Line>;

/** Times are in nanoseconds; 0 is the default. */
const HealthCheck = z.object({
  Test: z.array(z.string()).nullish(),
  Interval: z.number().default(0),
  Timeout: z.number().default(0),
  StartPeriod: z.number().default(0),
  Retries: z.number().default(0),
});

const HealthState = z.object({ Status: z.string(), Log: z.array(z.object({ End: z.string() })).nullish() });

/** Docker puts a slash before a name. Another one in it makes it the name of a link to the container. */
function nameIn(names: readonly string[]): string {
  return names.map((name) => name.replace(/^\//u, "")).find((name) => !name.includes("/")) ?? "";
}

export const ListedContainer = z
  .object({ Id: z.string(), Names: z.array(z.string()).nullish(), Labels: LabelMap, State: z.string() })
  .transform(({ Id, Names, Labels: labels, State }) => ({
    id: Id,
    name: nameIn(Names ?? []),
    labels,
    state: stateOf(State),
    isPaused: State === "paused",
  }));
export type ListedContainer = z.output<typeof ListedContainer>;

export const InspectedContainer = z
  .object({
    Id: z.string(),
    Name: z.string(),
    Image: z.string(),
    Config: z.object({ Image: z.string(), Labels: LabelMap, Healthcheck: HealthCheck.nullish() }),
    HostConfig: z.object({ Memory: z.number().optional() }),
    State: z.object({
      Status: z.string(),
      Paused: z.boolean().default(false),
      OOMKilled: z.boolean().default(false),
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
  })
  .transform(({ Id, Name, Image: imageId, Config, HostConfig, State, NetworkSettings }) => {
    const state = stateOf(State.Status);
    return {
      id: Id,
      name: nameIn([Name]),
      /** As it was named at the creation, and the id of what that was then. */
      image: { name: Config.Image, id: imageId },
      labels: Config.Labels,
      state,
      isPaused: State.Paused,
      /** Somebody is removing it, or tried to. */
      isBeingRemoved: ["removing", "dead"].includes(State.Status),
      /** Null before its end. */
      exitCode: state === "ended" ? State.ExitCode : null,
      isOutOfMemory: State.OOMKilled,
      /** The daemons write the year 1 for "never". */
      finishedAt: State.FinishedAt.startsWith("0001-") ? undefined : new Date(State.FinishedAt).toISOString(),
      /** Undefined without a limit. */
      memoryBytes: HostConfig.Memory === 0 ? undefined : HostConfig.Memory,
      /** Undefined without a health check. */
      health: healthIn(State.Health, Config.Healthcheck),
      /** Container port to published host port. */
      ports: portsIn(NetworkSettings.Ports ?? {}),
      /** Its address in each network. The gateway's address belongs to the machine that runs the container. */
      networks: Object.values(NetworkSettings.Networks ?? {}).flatMap(({ Gateway: gateway, IPAddress: address }) =>
        gateway && address ? [{ gateway, address }] : [],
      ),
    };
  });
export type InspectedContainer = z.output<typeof InspectedContainer>;

export type ContainerHealth = NonNullable<ReturnType<typeof healthIn>>;

/** Podman has a state of health also without a check. `NONE` is where somebody turned the image's check off. */
function healthIn(
  found: z.output<typeof HealthState> | null | undefined,
  check: z.output<typeof HealthCheck> | null | undefined,
) {
  if (!found || !check || check.Test?.[0] === "NONE") return undefined;
  const { Interval, Timeout, StartPeriod, Retries } = check;
  const state: Health = found.Status === "healthy" || found.Status === "unhealthy" ? found.Status : "starting";
  return {
    state,
    /** When the last check ended; undefined before the first one. */
    checkedAt: found.Log?.at(-1)?.End,
    /** From the end of a check to the next one. */
    intervalMs: Interval === 0 ? 30_000 : Interval / NANOSECONDS,
    /** How long one check may take. */
    timeoutMs: Timeout === 0 ? 30_000 : Timeout / NANOSECONDS,
    /** In which failures don't count. */
    startMs: StartPeriod / NANOSECONDS,
    /** So many failures in a row make it unhealthy. */
    retries: Retries === 0 ? 3 : Retries,
  };
}

/** In a millisecond. */
const NANOSECONDS = 1_000_000;

/** Podman also says `configured`, `initialized` and `stopped`. */
function stateOf(status: string): "created" | "running" | "ended" {
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

/**
 * Why a call of the daemon failed. Without a status it couldn't be reached, or its answer was lost; the message is then a
 * clause about the daemon, "it closed the connection".
 */
export class DaemonError extends Error {
  override readonly name = "DaemonError";
  readonly status: number | undefined;

  constructor(status: number | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Podman answers 500 where Docker has a specific status. Its message ends with the cause. */
export function isPodmanError(error: unknown, cause: string): error is DaemonError {
  return error instanceof DaemonError && error.status === 500 && error.message.endsWith(cause);
}

/** A call that couldn't be sent, or whose answer didn't arrive. */
export function unanswered(cause: unknown): DaemonError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = isHangUp(cause) ? "it closed the connection" : (byCode[code] ?? messageOf(cause));
  return new DaemonError(undefined, why, { cause });
}

/** Whether nobody knows if the call had an effect. */
export function isLost(error: unknown): error is DaemonError {
  return error instanceof DaemonError && error.status === undefined;
}

const byCode: Readonly<Record<string, string>> = {
  ENOENT: "there is no such socket",
  EACCES: "this user may not use it. Add the user to its group, which is mostly docker",
  EPERM: "this user may not use it",
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name is unknown",
  UND_ERR_CONNECT_TIMEOUT: "its machine doesn't answer",
};

/** Why a daemon can't be used: a clause without a full stop, and without addresses. */
export function whyUnusable(error: unknown): string {
  if (error instanceof ZodError || error instanceof SyntaxError)
    return "what answers there is neither Docker nor Podman";
  if (!(error instanceof DaemonError)) return messageOf(error);
  return error.status === undefined ? messageOf(error) : `it answered ${error.status}: ${messageOf(error)}`;
}

export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\.$/u, "");
}
