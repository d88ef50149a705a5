import { requestLimits } from "./request-limits.ts";

// The API doesn't define the format of names. This is the rule of a sibling tool, and our service enforces it too.
const LONGEST = 50;

/**
 * Why `name` can't be used for a new workload, as a sentence; undefined when it can. Existing workloads can have other
 * names: see `pathSafe`.
 */
export function checkName(kind: "job" | "service", name: string): string | undefined {
  const rule = `The name of a ${kind} has 1 to ${LONGEST} lower-case letters, digits and "-", begins with a letter and ends with a letter or digit`;
  if (name === "") return `${rule}; none was given.`;
  if (name.length > LONGEST) return `${rule}; this one has ${name.length} characters.`;
  if (!/^[a-z]/u.test(name)) return `${rule}; this one begins with ${shown(name)}.`;
  const wrong = /[^a-z0-9-]/u.exec(name)?.[0];
  if (wrong !== undefined) return `${rule}; this one contains ${shown(wrong)}.`;
  return name.endsWith("-") ? `${rule}; this one ends with "-".` : undefined;
}

export function isVolumeName(name: string): boolean {
  return name.length <= requestLimits.volumeName && /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/u.test(name);
}

/** Whether a lower-case domain name can be bound: at least two labels (RFC 1123, 2.1), optionally after `*.`. */
export function isDomainName(domain: string): boolean {
  const form = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
  return domain.length <= requestLimits.domain && form.test(domain);
}

function shown(text: string): string {
  const [first = ""] = text;
  if (first === " ") return "a space";
  return /[\p{C}\p{Z}]/u.test(first) ? "a character that cannot be seen" : `"${first}"`;
}

/**
 * Whether a value can be one segment of a path. URLs drop `.` and `..`, and a proxy may decode `/` and `\`: all of them
 * would reach another resource. Control characters and lone surrogates aren't valid in a URL. Anything else is encoded.
 */
export function pathSafe(value: string): boolean {
  return value !== "" && value !== "." && value !== ".." && value.isWellFormed() && !/[/\\\p{Cc}]/u.test(value);
}

/** A mount here would hide the container's own programs, or the time zone that `sync_timezone` mounts. */
const wholeFolders = new Set(["/bin", "/boot", "/etc", "/etc/localtime", "/lib", "/lib64", "/sbin", "/usr"]);
/** The kernel fills these; workloads can't mount anything in them. */
const kernelFolders = ["/dev", "/proc", "/sys"];

/** Normalizes a path for comparison: no trailing slash. */
export function plainMountPath(path: string): string {
  return path.replace(/\/$/u, "");
}

/** Why a volume can't be mounted at this path, phrased to follow the path; undefined when it can. Pure. */
export function wrongMountPath(path: string): string | undefined {
  if (path.length > requestLimits.mountPath) return `must have at most ${requestLimits.mountPath} characters`;
  if (!/^(?:\/[^/:\p{Cc}]+)+\/?$/u.test(path)) {
    return "must be an absolute path such as /data, without empty segments, colons or control characters";
  }
  const plain = plainMountPath(path);
  const segments = plain.split("/");
  if (segments.includes(".") || segments.includes("..")) return "must not contain . or .. segments";
  const isOfKernel = kernelFolders.some((folder) => plain === folder || plain.startsWith(`${folder}/`));
  if (!isOfKernel && !wholeFolders.has(plain)) return undefined;
  return `must not be ${plain}, which belongs to the system: use another path, such as /data`;
}
