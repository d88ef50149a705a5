import { z } from "zod";
import { serviceMemory, jobMemory } from "../../../../api/memory.ts";
import { isVolumeName, requestLimits } from "../../../../api/request-limits.ts";
import type { NewService, NewJob } from "../../../../api/schema.ts";
import type { Change } from "../../../changes/change.ts";
import { UserError } from "../../../errors.ts";
import {
  checkMounts,
  envPair,
  fitsText,
  ImageReference,
  Memory,
  Mount,
  newName,
  portList,
  volumeNameRule,
  whenMountsAreRead,
} from "./container-arguments.ts";
import { checkImage, type NewWorkload } from "../../lookup/new-image.ts";
import { OtherKind, orOther, readWorkload } from "../../lookup/find.ts";
import type { VerbContext } from "../../command.ts";
import { DomainList, wholeNumber } from "../../grammar/argument-types.ts";
import { commandLine } from "../../../views/kit/container-text.ts";

/** `data=disk-1` or `data=disk-1:ro`: a name for mounts, and the disk behind it. */
const ServiceVolume = z.string().transform((typed, context) => {
  const [, name = "", disk = "", mode] = /^([^=:\s]+)=([^:\s]+?)(?::(ro|rw))?$/u.exec(typed) ?? [];
  if (isVolumeName(name) && isVolumeName(disk)) return { name, disk_name: disk, is_read_only: mode === "ro" };
  context.addIssue(
    name === ""
      ? `“${typed}” isn't a service volume. Write NAME=DISK, or NAME=DISK:ro for read-only.`
      : `“${typed}” isn't a service volume. A volume or disk name ${volumeNameRule}.`,
  );
  return z.NEVER;
});

/** The fields that the containers of jobs and services share, as words and forms give them. */
const containerArgs = {
  image: ImageReference,
  command: z
    .array(z.string().refine(fitsText, `A word of a command has at most ${requestLimits.text} characters.`))
    .max(requestLimits.words, `A command has at most ${requestLimits.words} words.`)
    .optional(),
  env: z
    .array(envPair("--env"))
    .max(requestLimits.env, `At most ${requestLimits.env} environment variables.`)
    .optional(),
  port: portList(requestLimits.ports, `A container opens at most ${requestLimits.ports} ports.`).optional(),
  mount: z.array(Mount).max(requestLimits.mounts, `At most ${requestLimits.mounts} mounts.`).optional(),
  memory: Memory.optional(),
  "sync-timezone": z.boolean().default(false),
};

type ContainerArgs = z.output<z.ZodObject<typeof containerArgs>>;

/** The container of a creation body, with only the given settings. `memory` formats the limit for the operation. */
function newContainer(args: ContainerArgs, memory: (mib: number) => string) {
  return {
    image: args.image,
    ...(args.command !== undefined && args.command.length > 0 && { command: args.command }),
    ...(args.env && { env: args.env }),
    ...(args.port && { ports: args.port.map(({ port, protocol }) => ({ port, protocol: protocol.toUpperCase() })) }),
    ...(args.memory !== undefined && { resources: { limits: { memory: memory(args.memory) } } }),
    ...(args.mount && { volumeMounts: args.mount }),
  };
}

/** Every field of the creation body of a service. */
export const ServiceArgs = z
  .object({
    kind: z.literal("service"),
    ...containerArgs,
    instances: wholeNumber("--instances", { from: 0, to: requestLimits.instances }).default(1),
    publish: portList(
      requestLimits.publishedPorts,
      `At most ${requestLimits.publishedPorts} published ports.`,
    ).optional(),
    volume: z.array(ServiceVolume).max(requestLimits.volumes, `At most ${requestLimits.volumes} volumes.`).optional(),
    domain: DomainList.optional(),
    name: newName("service"),
  })
  .superRefine(checkMounts, whenMountsAreRead)
  .superRefine(checkOpenPorts);
type ServiceArgs = z.output<typeof ServiceArgs>;

export async function proposeService(args: ServiceArgs, context: VerbContext): Promise<Change> {
  const { region } = context;
  const { kind, name, image } = args;
  const newImage = await newImageOf({ kind, region, name, image }, context);
  const count = args.instances === 1 ? "1 instance" : `${args.instances} instances`;
  return {
    call: { op: "createService", path: { region, service_name: name }, query: undefined, body: serviceBody(args) },
    workload: { kind, region, name, uid: undefined },
    before: undefined,
    diff: [`${count} of ${image}`, ...(newImage === undefined ? [] : [newImage]), ...createDiff(args)],
    newImage,
  };
}

/** Why the image counts as new. Checks first that the name is free: at most two calls, unless a list isn't complete. */
async function newImageOf(wanted: NewWorkload, context: VerbContext): Promise<string | undefined> {
  const { kind, region, name } = wanted;
  const { newImage, isTaken } = await checkImage(wanted, context);
  const found = isTaken ?? (await orOther(readWorkload(kind, name, context)));
  if (found === undefined || found === false || found instanceof OtherKind) return newImage;
  const { command } = context.settings;
  const [what, see] =
    kind === "service"
      ? [`Service ${name} already exists in ${region}.`, `see it with \`${command} show service/${name}\``]
      : [`Job ${name} already exists.`, `delete it first with \`${command} delete job/${name}\``];
  throw new UserError(what, { next: `Choose another name, or ${see}.` });
}

function serviceBody(args: ServiceArgs): NewService {
  return {
    target_instance_size: args.instances,
    containers: [newContainer({ ...args, ...openPorts(args) }, serviceMemory)],
    ...(args.publish && {
      port_mappings: args.publish.map(({ port, protocol }) => ({
        container_port: port,
        protocol: protocol.toLowerCase(),
      })),
    }),
    ...(args.volume && { volumes: args.volume }),
    ...(args["sync-timezone"] && { sync_timezone: true }),
    ...(args.domain && { binding_domain_name: args.domain }),
  };
}

/** Published ports are opened as well, so both share one limit. */
function checkOpenPorts(args: Pick<ServiceArgs, "port" | "publish">, context: z.RefinementCtx): void {
  if ((openPorts(args).port ?? []).length <= requestLimits.ports) return;
  const message = `--port and --publish together name more than ${requestLimits.ports} ports, the limit for one container.`;
  context.addIssue({ code: "custom", path: ["publish"], message });
}

/** The container opens every published port: `--publish 8080` implies `--port 8080`. */
function openPorts({ port = [], publish = [] }: Pick<ServiceArgs, "port" | "publish">): Pick<ServiceArgs, "port"> {
  const spare = publish.filter((published) => port.every((open) => open.port !== published.port));
  const all = [...port, ...spare];
  return all.length > 0 ? { port: all } : {};
}

/** `data`, or `data=host`: `host` is the only volume type of a job. */
const JobVolume = z.string().transform((typed, context) => {
  const [, name = "", type = "host"] = /^([^=:\s]+)(?:=([a-zA-Z]+))?$/u.exec(typed) ?? [];
  if (isVolumeName(name) && type === "host") return { name, type };
  context.addIssue(
    name === "" || type !== "host"
      ? `“${typed}” isn't a job volume. Write NAME, or NAME=host.`
      : `“${typed}” isn't a job volume. A volume name ${volumeNameRule}.`,
  );
  return z.NEVER;
});

/** Every field of the creation body of a job. */
export const JobArgs = z
  .object({
    kind: z.literal("job"),
    ...containerArgs,
    volume: z.array(JobVolume).max(requestLimits.volumes, `At most ${requestLimits.volumes} volumes.`).optional(),
    "pull-always": z.boolean().default(false),
    // `true`: ticked in the form.
    notify: z.literal([true, "me"], { error: "--notify takes me: only you can be told." }).optional(),
    name: newName("job"),
  })
  .superRefine(checkMounts, whenMountsAreRead);
type JobArgs = z.output<typeof JobArgs>;

export async function proposeJob(args: JobArgs, context: VerbContext): Promise<Change> {
  const { kind, name, image } = args;
  const region = context.settings.jobsRegion;
  const newImage = await newImageOf({ kind, region, name, image }, context);
  return {
    call: { op: "createJob", path: { region, job_name: name }, query: undefined, body: jobBody(args) },
    workload: { kind, region, name, uid: undefined },
    before: undefined,
    diff: [`runs ${image} until it completes`, ...(newImage === undefined ? [] : [newImage]), ...createDiff(args)],
    newImage,
    ...(args.notify !== undefined && { notifies: true }),
  };
}

function jobBody(args: JobArgs): NewJob {
  const container = newContainer(args, jobMemory);
  return {
    containers: [{ ...container, ...(args["pull-always"] && { pull_always: true }) }],
    ...(args.volume && { volumes: args.volume }),
    ...(args["sync-timezone"] && { sync_timezone: true }),
  };
}

type Port = { readonly port: number; readonly protocol: string };

/** The parts of both kinds of creation body, besides name and image. */
type Created = Partial<Omit<ServiceArgs, "kind" | "volume"> & Pick<JobArgs, "pull-always">> & {
  readonly volume?: readonly Volume[] | undefined;
};
type Volume = { readonly name: string; readonly disk_name?: string; readonly is_read_only?: boolean };

/**
 * Lists every setting of a new workload besides its image, one per line: the card shows the first lines, its thread all
 * of them. Shows names of environment variables only, and the command without secrets. Pure.
 */
function createDiff(args: Created): string[] {
  const { command = [], memory, env, port, publish, domain, volume, mount } = args;
  return [
    // Approvers decide on the command, so it comes first.
    ...(command.length === 0 ? [] : [`command: ${commandLine(command, env)}`]),
    ...(memory === undefined ? [] : [`memory ${memory} MiB`]),
    ...listed("environment variables", env, ({ name }) => name),
    ...listed("open ports", port, portWords),
    ...listed("public ports", publish, portWords),
    ...listed("domains", domain, (each) => each),
    ...listed("volumes", volume, volumeWords),
    ...listed("mounts", mount, ({ name, mountPath }) => `${name} at ${mountPath}`),
    ...(args["sync-timezone"] ? ["time zone of the host"] : []),
    ...(args["pull-always"] === true ? ["pulls the image every time"] : []),
  ];
}

function listed<Item>(what: string, items: readonly Item[] = [], words: (item: Item) => string): string[] {
  if (items.length === 0) return [];
  return [`${what} ${items.map(words).join(", ")}`];
}

function portWords({ port, protocol }: Port): string {
  return `${port}/${protocol.toLowerCase()}`;
}

function volumeWords({ name, disk_name, is_read_only }: Volume): string {
  const disk = disk_name === undefined ? "" : ` (disk ${disk_name}${is_read_only === true ? ", read-only" : ""})`;
  return `${name}${disk}`;
}
