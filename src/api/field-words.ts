/** Fields as people know them. */
const fields: Readonly<Record<string, string>> = {
  service_name: "the name",
  job_name: "the name",
  instance_name: "the instance",
  target_instance_size: "the number of instances",
  binding_domain_name: "the domain list",
  default_domain_name: "the default domain",
  port_mappings: "the list of ports",
  container_port: "the port",
  ports: "the list of ports",
  port: "the port",
  sync_timezone: "the time zone setting",
  pull_always: "the setting to always pull the image",
  is_read_only: "the read-only setting",
  readOnly: "the read-only setting",
  disk_name: "the disk",
  hostPath: "the path on the host",
  mountPath: "the mount path",
  volumeMounts: "the list of mounts",
  volumes: "the list of volumes",
  memory: "the memory limit",
  cpu: "the CPU limit",
  limits: "the limits",
  resources: "the limits",
  resource: "the limits",
  image: "the image",
  command: "the command",
  env: "the environment variables",
  containers: "the container",
};

/** `service_name`, `containers[0].image`, `/containers/0/image` */
const FIELD = /(?<![\w"'])\/?[A-Za-z]\w*(?:\[\d+\]|[./]\w+)*(?![\w"'])/gu;
/** Of a regular expression. */
const PATTERN = /\^\[|\^\(|\\[dwsS]|\[a-z|\[A-Z|\[0-9/u;

/**
 * An error message about fields in the words of the person who reads it: "service_name isn't valid: A lower-case letter …" is
 * "the name isn't valid". Undefined when nothing but technical terms is left. Pure.
 */
export function inPlainWords(message: string): string | undefined {
  let first: string | undefined;
  const worded = message.replaceAll(FIELD, (path) => {
    if (!isTechnical(path)) return path;
    const label = labelOf(path);
    first ??= label;
    return label ?? path;
  });
  if (first === undefined) return PATTERN.test(message) || /\[\d+\]/u.test(message) ? undefined : message;
  const [valid] = /^.*? isn't valid(?=: )/su.exec(worded) ?? [];
  if (valid !== undefined) return valid;
  return PATTERN.test(worded) ? `${first} isn't valid` : worded;
}

/** Other words are words of a sentence, such as "image", or a person's own, such as `my_service`. */
function isTechnical(path: string): boolean {
  return /\[\d+\]|^\/|[a-z]\/\d/u.test(path) || /[a-z]\.[a-z]+[A-Z.]|_|[a-z][A-Z]/u.test(path);
}

/** "the memory limit"; "size of the command" where only the field around it is known. */
function labelOf(path: string): string | undefined {
  const segments = path.split(/[./[\]]+/u).filter((segment) => /^[A-Za-z]/u.test(segment));
  const at = segments.findLastIndex((segment) => Object.hasOwn(fields, segment));
  const label = fields[segments[at] ?? ""];
  return label === undefined || at === segments.length - 1 ? label : `${segments.at(-1)} of ${label}`;
}
