/** The limits in `openapi.yaml`; test/api/request-limits.test.ts compares the two. */
export const requestLimits = {
  instances: 1_000,
  /** Words in a command. */
  words: 100,
  /** Characters in one command word, or in the value of one environment variable. */
  text: 16_384,
  env: 200,
  envName: 253,
  image: 255,
  /** Per container. */
  ports: 10,
  publishedPorts: 10,
  volumes: 50,
  volumeName: 63,
  mounts: 50,
  mountPath: 255,
  domains: 200,
  domain: 253,
  containerName: 253,
  /** How many of the newest log messages a page can skip. */
  logFrom: 10_000_000,
} as const;

// The API doesn't define the format of names. This is the rule of a sibling tool, and our service enforces it too.
const LONGEST = 50;
const LONGEST_EXISTING = 253;
const RULE = "Names use lowercase letters, digits and dashes, and start with a letter.";

/**
 * Why `name` can't be used for a new workload, as a sentence; undefined when it can. Existing workloads can have other
 * names: see `pathSafe`.
 */
export function checkName(kind: "job" | "service", name: string): string | undefined {
  if (name === "") return `Enter a name for the ${kind}. ${RULE}`;
  if (name.length > LONGEST) return `Names have at most ${LONGEST} characters. This one has ${name.length}.`;
  if (isName(name)) return undefined;
  const near = nearestName(name);
  const rule = name.endsWith("-") ? `${RULE} They can't end with a dash.` : RULE;
  return isName(near) && near.length > 1 ? `${rule} Did you mean “${near}”?` : rule;
}

function isName(name: string): boolean {
  return /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/u.test(name);
}

/** Whether an existing workload can have this name: the API refuses questions about others. */
export function mayExist(name: string): boolean {
  return name.length <= LONGEST_EXISTING && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9-])?$/u.test(name);
}

/** Turns "Wéb 2" and "_web_2" into "web-2". */
function nearestName(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const dashed = plain.replaceAll(/[^a-z0-9]+/gu, "-");
  return dashed.replace(/^[^a-z]+/u, "").replace(/-+$/u, "");
}

export function isVolumeName(name: string): boolean {
  return name.length <= requestLimits.volumeName && /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/u.test(name);
}

/** Whether a lower-case domain name can be bound: at least two labels (RFC 1123, 2.1), optionally after `*.`. */
export function isDomainName(domain: string): boolean {
  const form = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
  return domain.length <= requestLimits.domain && form.test(domain);
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

/** The first entry that occurs twice. */
export function firstDuplicate<T>(entries: readonly T[]): T | undefined {
  const seen = new Set<T>();
  return entries.find((entry) => seen.size === seen.add(entry).size);
}
