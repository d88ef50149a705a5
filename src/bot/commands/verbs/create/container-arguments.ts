import { z } from "zod";
import { isDigest, isShortDigest } from "../../../../api/image.ts";
import { typedMemory } from "../../../../api/memory.ts";
import {
  plainMountPath,
  wrongMountPath,
  checkName,
  requestLimits,
  firstDuplicate,
} from "../../../../api/request-limits.ts";

/** The rule for volume names, in words. */
export const volumeNameRule = `has 1 to ${requestLimits.volumeName} letters, digits, ".", "_" and "-", with a letter or digit first and last`;

/** What the name of an environment variable is like. */
export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/u;

/** `LOG_LEVEL=info`; the value may be empty and may contain `=`. Errors never quote it: it may be a secret. */
export const envPair = (flag: string) =>
  z.string().transform((typed, context) => {
    const at = typed.indexOf("=");
    const name = typed.slice(0, Math.max(at, 0));
    const value = typed.slice(at + 1);
    if (!ENV_NAME.test(name) || name.length > requestLimits.envName) {
      context.addIssue(`${flag} takes NAME=value. The name has letters, digits and _, and doesn't start with a digit.`);
      return z.NEVER;
    }
    if (fitsText(value)) return { name, value };
    context.addIssue(
      `The value of ${name} has more than ${requestLimits.text} characters, or contains a NUL character.`,
    );
    return z.NEVER;
  });

export function fitsText(text: string): boolean {
  return text.length <= requestLimits.text && !text.includes("\0");
}

/** `8080` or `8080/tcp`; the workload API accepts no other protocol. */
const Port = z.string().transform((typed, context) => {
  const [, port = "", protocol = "tcp"] = /^(\d{1,5})(?:\/([a-z]{2,8}))?$/iu.exec(typed) ?? [];
  if (protocol.toLowerCase() !== "tcp") {
    context.addIssue(`“${typed}” can't be opened. The workload API accepts only TCP ports: write ${port}.`);
    return z.NEVER;
  }
  if (port !== "" && Number(port) >= 1 && Number(port) <= 65_535) return { port: Number(port), protocol: "tcp" };
  context.addIssue(`“${typed}” isn't a port. Write a number from 1 to 65535, such as 8080.`);
  return z.NEVER;
});

/** Ports without duplicates. */
export function portList(most: number, error: string) {
  return z
    .array(Port)
    .transform((ports) => [...new Map(ports.map((each) => [each.port, each])).values()])
    .pipe(z.array(z.object({ port: z.number(), protocol: z.string() })).max(most, error));
}

/** `data:/var/lib/data`: the name of a volume, and where it is mounted. */
export const Mount = z.string().transform((typed, context) => {
  const [, name = "", mountPath = ""] = /^([^:]+):(\/.*)$/u.exec(typed) ?? [];
  const wrong = name === "" ? undefined : wrongMountPath(mountPath);
  if (name !== "" && wrong === undefined) return { name, mountPath };
  context.addIssue(
    wrong === undefined
      ? `“${typed}” isn't a mount. Write VOLUME:/absolute/path.`
      : `“${typed}” isn't a mount. Its path ${wrong}.`,
  );
  return z.NEVER;
});

/** A size as `512`, `512Mi`, `1Gi` or `512M`, in whole MiB. */
export const Memory = z.string().transform((typed, context) => {
  const size = typedMemory(typed);
  if ("mib" in size) return size.mib;
  context.addIssue(size.problem);
  return z.NEVER;
});

/** The name of a new workload. Last in its schema, so that errors of other arguments come first. */
export function newName(kind: "job" | "service") {
  return z.string({ error: checkName(kind, "") }).superRefine((name, context) => {
    const wrong = checkName(kind, name);
    if (wrong !== undefined) context.addIssue(wrong);
  });
}

const imageRule = `--image isn't an image reference. Write one such as registry.example.com/team/web:1.4, at most ${requestLimits.image} characters.`;

/**
 * The form of an image reference: https://pkg.go.dev/github.com/distribution/reference. Whether the image exists is not
 * known before the request runs, because the workload API has no operation for it.
 */
const IMAGE =
  /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@[a-z0-9]+:[a-fA-F0-9]+)?$/u;

export const digestRule =
  "This is only the beginning of a digest, which has 64 digits. Write all of them, or a tag such as 1.5.";

export const ImageReference = z
  .string({ error: "--image is required." })
  .refine((typed) => !isShortDigest(typed), digestRule)
  .refine(
    (typed) => !isDigest(typed),
    "A digest alone names no image. Write the repository before it: shop/web@sha256:….",
  )
  .regex(IMAGE, imageRule)
  .max(requestLimits.image, imageRule);

type Mounted = {
  readonly mount?: readonly { readonly name: string; readonly mountPath: string }[] | undefined;
  readonly volume?: readonly { readonly name: string }[] | undefined;
};

/** Catches two mistakes before the workload API does: mounts of undeclared volumes, and duplicates. */
export function checkMounts({ mount, volume = [] }: Mounted, context: z.RefinementCtx): void {
  const wrong = (id: "mount" | "volume", message: string): void =>
    context.addIssue({ code: "custom", path: [id], message });
  const name = mount?.find((each) => volume.every((one) => one.name !== each.name))?.name;
  if (name !== undefined) wrong("mount", `--mount uses the volume ${name}, but no --volume declares it.`);
  const path = firstDuplicate((mount ?? []).map(({ mountPath }) => plainMountPath(mountPath)));
  if (path !== undefined) wrong("mount", `--mount uses ${path} twice: mount one volume per path.`);
  const twin = firstDuplicate(volume.map((one) => one.name));
  if (twin !== undefined) wrong("volume", `--volume declares ${twin} twice: give each volume its own name.`);
}

/** Checks mounts even when other fields are wrong, because a form shows all errors at once. */
export const whenMountsAreRead = {
  when: ({ issues }: z.core.ParsePayload): boolean =>
    issues.every(({ path: [id] = [] }) => id !== "mount" && id !== "volume"),
};
