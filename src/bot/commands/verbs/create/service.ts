import { z } from "zod";
import { serviceMemory } from "../../../../api/memory.ts";
import { isVolumeName, requestLimits } from "../../../../api/request-limits.ts";
import type { NewService } from "../../../../api/schema.ts";
import type { Change } from "../../../changes/change.ts";
import { UserError } from "../../../errors.ts";
import {
  checkMounts,
  containerArgs,
  newContainer,
  newName,
  portList,
  volumeNameRule,
  whenMountsAreRead,
} from "./container-arguments.ts";
import { createDiff } from "./diff.ts";
import { OtherKind, orOther, readService } from "../../lookup/find.ts";
import { type VerbContext } from "../../grammar/verb.ts";
import { DomainList, wholeNumber } from "../../grammar/argument-types.ts";

/** `data=disk-1` or `data=disk-1:ro`: a name for mounts, and the disk behind it. */
const Volume = z.string().transform((typed, context) => {
  const [, name = "", disk = "", mode] = /^([^=:\s]+)=([^:\s]+?)(?::(ro|rw))?$/u.exec(typed) ?? [];
  if (isVolumeName(name) && isVolumeName(disk)) return { name, disk_name: disk, is_read_only: mode === "ro" };
  context.addIssue(
    name === ""
      ? `“${typed}” isn't a service volume. Write NAME=DISK, or NAME=DISK:ro for read-only.`
      : `“${typed}” isn't a service volume. A volume or disk name ${volumeNameRule}.`,
  );
  return z.NEVER;
});

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
    volume: z.array(Volume).max(requestLimits.volumes, `At most ${requestLimits.volumes} volumes.`).optional(),
    domain: DomainList.optional(),
    name: newName("service"),
  })
  .superRefine(checkMounts, whenMountsAreRead)
  .superRefine(checkOpenPorts);
type ServiceArgs = z.output<typeof ServiceArgs>;

/** Checks first that the name is free, with one call. */
export async function proposeService(args: ServiceArgs, context: VerbContext): Promise<Change> {
  const { region, settings } = context;
  const { name } = args;
  const taken = await orOther(readService(name, context));
  if (taken !== undefined && !(taken instanceof OtherKind)) {
    throw new UserError(`Service ${name} already exists in ${region}.`, {
      next: `Choose another name, or see it with \`${settings.command} show service/${name}\`.`,
    });
  }
  const count = args.instances === 1 ? "1 instance" : `${args.instances} instances`;
  return {
    call: { op: "createService", path: { region, service_name: name }, query: undefined, body: serviceBody(args) },
    workload: { kind: "service", region, name, uid: undefined },
    before: undefined,
    diff: [`${count} of ${args.image}`, ...createDiff(args)],
  };
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
