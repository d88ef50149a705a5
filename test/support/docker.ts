import { busyboxImage } from "./daemons/busybox-image.ts";
import { daemonCall, type DaemonReply, type DaemonRequest, socketOf } from "./daemons/daemon-call.ts";
import type { DaemonKind } from "./daemons/daemon-command.ts";

/** The Docker of GANTRY_TEST_DOCKER or the Podman of GANTRY_TEST_PODMAN. Tests touch only what they made on it. */
export type TestDaemon = {
  readonly kind: DaemonKind;
  /** For the titles of its tests, with the reason when they are skipped. */
  readonly title: string;
  /** Why its tests are skipped; undefined when it is there. */
  readonly missing: string | undefined;
  /** `unix:///…` */
  readonly host: string;
  /** A static busybox that it has. */
  readonly image: string;
  /** Any request; resolves for each status. */
  readonly call: (request: DaemonRequest) => Promise<DaemonReply>;
  /** Like `call`, and the status must be below 400; its body. */
  readonly must: (request: DaemonRequest) => Promise<unknown>;
  /** All containers with this label, also those that have ended. */
  readonly containersWith: (label: string) => Promise<readonly TestContainer[]>;
  /** Removes containers, volumes and networks with this label, running or not. */
  readonly removeWith: (label: string) => Promise<void>;
};

export type TestContainer = {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `running`, `exited`, `created`, `paused` */
  readonly state: string;
};

export const TEST_IMAGE = "localhost/busybox:1";
/** The same under another name. */
export const OTHER_TEST_IMAGE = "localhost/busybox:2";

const names = { docker: "Docker", podman: "Podman" } as const;
const variables = { docker: "GANTRY_TEST_DOCKER", podman: "GANTRY_TEST_PODMAN" } as const;

/**
 * The one of the Vitest project, or both outside of one. One that is given and doesn't answer is an error, not a reason to
 * skip.
 */
export async function testDaemons(): Promise<readonly TestDaemon[]> {
  const own = process.env["GANTRY_TEST_DAEMON"];
  const kinds = (["docker", "podman"] as const).filter((kind) => own === undefined || own === kind);
  return await Promise.all(kinds.map(async (kind) => await testDaemon(kind)));
}

async function testDaemon(kind: DaemonKind): Promise<TestDaemon> {
  const host = process.env[variables[kind]] ?? "";
  if (host !== "") return await daemonOf(kind, host);
  const missing = `skipped: needs ${names[kind]}: npm run test:engines -- ${kind} brings one up`;
  const none = () => Promise.reject(new Error(missing));
  return { ...over(kind, { host, call: none }), title: `${names[kind]} (${missing})`, missing };
}

/** Also for a daemon that a test has started itself. Resolves when it has the images. */
export async function daemonOf(kind: DaemonKind, host: string): Promise<TestDaemon> {
  const daemon = over(kind, { host, call: (request) => daemonCall(socketOf(host), request) });
  for (const image of [TEST_IMAGE, OTHER_TEST_IMAGE]) {
    const { status } = await daemon.call({ method: "GET", path: `/images/${image}/json` });
    if (status === 404) await daemon.must({ method: "POST", path: "/images/load", archive: busyboxImage(image) });
  }
  return daemon;
}

function over(kind: DaemonKind, { host, call }: Pick<TestDaemon, "host" | "call">): TestDaemon {
  const must: TestDaemon["must"] = async (request) => {
    const { status, body } = await call(request);
    if (status < 400) return body;
    throw new Error(`${request.method} ${request.path}: ${status} ${JSON.stringify(body)}`);
  };
  const labelled = (label: string) => `filters=${encodeURIComponent(JSON.stringify({ label: [label] }))}`;
  const containersWith: TestDaemon["containersWith"] = async (label) => {
    const listed = await must({ method: "GET", path: `/containers/json?all=1&${labelled(label)}` });
    return (listed as readonly Listed[]).map(containerOf); // Docker's API
  };
  return {
    kind,
    title: names[kind],
    missing: undefined,
    host,
    image: TEST_IMAGE,
    call,
    must,
    containersWith,
    async removeWith(label) {
      const containers = await containersWith(label);
      await Promise.all(containers.map(({ id }) => call({ method: "DELETE", path: `/containers/${id}?force=1&v=1` })));
      const volumes = (await must({ method: "GET", path: `/volumes?${labelled(label)}` })) as ListedVolumes; // Docker's API
      const networks = (await must({ method: "GET", path: `/networks?${labelled(label)}` })) as readonly Named[]; // as above
      await Promise.all([
        ...(volumes.Volumes ?? []).map(({ Name }) => call({ method: "DELETE", path: `/volumes/${Name}` })),
        ...networks.map(({ Name }) => call({ method: "DELETE", path: `/networks/${Name}` })),
      ]);
    },
  };
}

type Named = { readonly Name: string };
type ListedVolumes = { readonly Volumes: readonly Named[] | null };
type Listed = {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly Labels: Readonly<Record<string, string>> | null;
  readonly State: string;
};

function containerOf({ Id, Names, Labels, State }: Listed): TestContainer {
  return { id: Id, name: (Names[0] ?? "").replace(/^\//u, ""), labels: Labels ?? {}, state: State };
}
