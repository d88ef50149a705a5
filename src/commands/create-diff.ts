import { commandLine } from "../views/command-line.ts";

type Port = { readonly port: number; readonly protocol: string };

/** What creation bodies of both kinds are made of, as far as it is more than a name and an image. */
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
 * What a new workload has besides its image, a line each and nothing left out: the card shows the beginning, its thread
 * all of it. Of environment variables the names, of the command no secrets. Pure.
 */
export function createDiff(args: Created): string[] {
  const { command = [], memory, env, port, publish, domain, volume, mount } = args;
  return [
    // What it runs is what those who approve decide on.
    ...(command.length === 0 ? [] : [`command: ${commandLine(command, env)}`]),
    ...(memory === undefined ? [] : [`memory ${memory} MiB`]),
    ...listed("environment variables", env, ({ name }) => name),
    ...listed("open ports", port, portWords),
    ...listed("ports reachable from outside", publish, portWords),
    ...listed("domains", domain, (each) => each),
    ...listed("volumes", volume, volumeWords),
    ...listed("mounts", mount, ({ name, mountPath }) => `${name} at ${mountPath}`),
    ...(args["sync-timezone"] ? ["the local time zone of the host"] : []),
    ...(args["pull-always"] === true ? ["the image pulled each time"] : []),
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
