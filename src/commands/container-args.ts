import { z } from "zod";
import { parseMemoryMiB } from "../api/memory.ts";
import { checkName } from "../api/names.ts";

/** At most ten ports a container (documented for the family of this API). */
const MOST_PORTS = 10;

/** `LOG_LEVEL=info`; the value may be empty and may hold further `=`. Never said back: it may be a secret. */
const EnvPair = z.string().transform((typed, context) => {
  const at = typed.indexOf("=");
  const name = typed.slice(0, Math.max(at, 0));
  if (/^[A-Za-z_][A-Za-z0-9_.-]*$/u.test(name)) return { name, value: typed.slice(at + 1) };
  context.addIssue("--env takes NAME=value; the name has letters, digits and _, and does not begin with a digit.");
  return z.NEVER;
});

/** `8080` or `8080/udp`. */
export const Port = z.string().transform((typed, context) => {
  const [, port = "", protocol = "tcp"] = /^(\d{1,5})(?:\/([a-z]{2,8}))?$/iu.exec(typed) ?? [];
  if (port !== "" && Number(port) >= 1 && Number(port) <= 65_535) return { port: Number(port), protocol };
  context.addIssue(`“${typed}” is not a port: write a number from 1 to 65535, as in 8080 or 8080/udp.`);
  return z.NEVER;
});

/** `data:/var/lib/data`: the name of a volume, and where it is mounted. */
const Mount = z.string().transform((typed, context) => {
  const [, name = "", mountPath = ""] = /^([^:]+):(\/.*)$/u.exec(typed) ?? [];
  if (name !== "") return { name, mountPath };
  context.addIssue(`“${typed}” is not a mount: write VOLUME:/absolute/path.`);
  return z.NEVER;
});

/** A size in MiB, as `512`, `512Mi` or `1Gi`. */
const Memory = z.string().transform((typed, context) => {
  const mib = parseMemoryMiB(typed);
  if (mib !== undefined && Number.isInteger(mib) && mib >= 1 && mib <= 1024 * 1024) return mib;
  context.addIssue(`“${typed}” is not a memory size: write whole MiB, as in 512, or 512Mi, or 1Gi.`);
  return z.NEVER;
});

/** The name of a workload that is about to be made; it comes last in a schema, so that words are told of the rest first. */
export function newName(kind: "job" | "service") {
  return z.string({ error: checkName(kind, "") }).superRefine((name, context) => {
    const wrong = checkName(kind, name);
    if (wrong !== undefined) context.addIssue(wrong);
  });
}

/** The fields that the containers of jobs and services share, as words and forms give them. */
export const containerArgs = {
  image: z
    .string({ error: "--image is missing: say which image to run." })
    .regex(/^[^\s\p{C}]{1,255}$/u, "--image takes an image reference without spaces, of 255 characters at most."),
  command: z.array(z.string()).max(100, "A command has 100 words at most.").optional(),
  env: z.array(EnvPair).max(200, "At most 200 environment variables.").optional(),
  port: z.array(Port).max(MOST_PORTS, `A container opens at most ${MOST_PORTS} ports.`).optional(),
  mount: z.array(Mount).max(50, "At most 50 mounts.").optional(),
  memory: Memory.optional(),
  "sync-timezone": z.boolean().default(false),
};

type ContainerArgs = z.output<z.ZodObject<typeof containerArgs>>;

/** The container of a creation body, with what was given and nothing else. `memory` is spelled as the operation has it. */
export function newContainer(args: ContainerArgs, memory: (mib: number) => string) {
  return {
    image: args.image,
    ...(args.command !== undefined && args.command.length > 0 && { command: args.command }),
    ...(args.env && { env: args.env }),
    ...(args.port && { ports: args.port.map(({ port, protocol }) => ({ port, protocol: protocol.toUpperCase() })) }),
    ...(args.memory !== undefined && { resources: { limits: { memory: memory(args.memory) } } }),
    ...(args.mount && { volumeMounts: args.mount }),
  };
}

type Volumes = { readonly volume?: readonly { readonly name: string }[] | undefined };

/** A mount of a volume that nothing declares would be refused by the service, later and in other words. */
export function checkMounts(
  { mount, volume = [] }: Pick<ContainerArgs, "mount"> & Volumes,
  context: z.RefinementCtx,
): void {
  const name = mount?.find((each) => volume.every((one) => one.name !== each.name))?.name;
  if (name === undefined) return;
  const message = `--mount names the volume ${name}, and no --volume declares it.`;
  context.addIssue({ code: "custom", path: ["mount"], message });
}

/** Said beside what is wrong with other fields: a form shows all of it at once. */
export const whenMountsAreRead = {
  when: ({ issues }: z.core.ParsePayload): boolean =>
    issues.every(({ path: [id] = [] }) => id !== "mount" && id !== "volume"),
};
