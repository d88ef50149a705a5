import { commandLine } from "../../../views/kit/container-text.ts";

type Port = { readonly port: number; readonly protocol: string };

/** The parts of both kinds of creation body, besides name and image. */
type Created = {
  readonly command?: readonly string[] | undefined;
  readonly memory?: number | undefined;
  readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | undefined;
  readonly port?: readonly Port[] | undefined;
  readonly publish?: readonly Port[] | undefined;
  readonly domain?: readonly string[] | undefined;
  readonly volume?: readonly Volume[] | undefined;
  readonly mount?: readonly { readonly name: string; readonly mountPath: string }[] | undefined;
  readonly "sync-timezone": boolean;
  readonly "pull-always"?: boolean;
};
type Volume = { readonly name: string; readonly disk_name?: string; readonly is_read_only?: boolean };

/**
 * Lists every setting of a new workload besides its image, one per line: the card shows the first lines, its thread all
 * of them. Shows names of environment variables only, and the command without secrets. Pure.
 */
export function createDiff(args: Created): string[] {
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
