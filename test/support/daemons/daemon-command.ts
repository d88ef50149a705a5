import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

export type DaemonKind = "docker" | "podman";

type Place = {
  readonly folder: string;
  readonly dataFolder: string;
  readonly socketPath: string;
  readonly keepsContainers?: boolean;
};

export type DaemonCommand = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it has the id of a process of its own, which dies with it. */
  readonly helperPid?: string;
  /** Removes containers that outlive the daemon. Synchronous. */
  readonly clear: () => void;
};

const programs = { docker: ["dockerd", "containerd", "runc"], podman: ["podman", "conmon", "runc"] } as const;
/** Where Debian has daemons; a user's PATH may lack it. */
const searched = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Why such a daemon can't be started here; undefined when it can. */
export function missingFor(kind: DaemonKind): string | undefined {
  const missing = programs[kind].filter((program) => !searched.some((folder) => existsSync(join(folder, program))));
  if (missing.length > 0) return `needs ${missing.join(", ")}, which this machine doesn't have`;
  return process.getuid?.() === 0 ? undefined : "needs to run as root";
}

export function commandOf(kind: DaemonKind, place: Place): DaemonCommand {
  return kind === "docker" ? dockerCommand(place) : podmanCommand(place);
}

/** Networks of this daemon only, so that two daemons never give out the same addresses. */
const newAddresses = (): string => `10.${randomInt(120, 220)}.0.0/16`;

const PATH = [...new Set(searched)].join(delimiter);

/** It touches nothing that another Docker on this machine uses: no bridge, no firewall rule, no namespace of containerd. */
function dockerCommand({ folder, dataFolder, socketPath, keepsContainers = false }: Place): DaemonCommand {
  const own = `gantry-${process.pid}-${randomInt(1_000_000)}`;
  const args = [
    `--data-root=${dataFolder}`,
    `--exec-root=${join(folder, "exec")}`,
    `--pidfile=${join(folder, "pid")}`,
    `--host=unix://${socketPath}`,
    `--config-file=${join(folder, "daemon.json")}`,
    `--containerd-namespace=${own}`,
    `--containerd-plugins-namespace=${own}-plugins`,
    "--bridge=none",
    "--iptables=false",
    "--ip-masq=false",
    "--ip-forward=false",
    `--default-address-pool=base=${newAddresses()},size=24`,
    "--shutdown-timeout=3",
  ];
  writeFileSync(join(folder, "daemon.json"), JSON.stringify({ "live-restore": keepsContainers }));
  const helperPid = join(folder, "exec/containerd/containerd.pid");
  return { program: "dockerd", args, env: { PATH }, helperPid, clear: () => undefined };
}

function podmanCommand({ folder, dataFolder, socketPath }: Place): DaemonCommand {
  const settings = join(folder, "containers.conf");
  const addresses = newAddresses();
  writeFileSync(settings, containersConf(addresses));
  const registries = join(folder, "registries.conf");
  writeFileSync(registries, TRUSTED_REGISTRIES);
  const env = { PATH, CONTAINERS_CONF: settings, CONTAINERS_REGISTRIES_CONF: registries };
  const own = [
    `--root=${dataFolder}`,
    `--runroot=${join(folder, "run")}`,
    `--tmpdir=${join(folder, "tmp")}`,
    `--network-config-dir=${join(folder, "networks")}`,
  ];
  return {
    program: "podman",
    args: [...own, "system", "service", "--time=0", `unix://${socketPath}`],
    env,
    clear() {
      for (const command of ["rm --all --force --time 0", "network prune --force"]) {
        spawnSync("podman", [...own, ...command.split(" ")], { env: { ...process.env, ...env }, stdio: "ignore" });
      }
      removeForwarding(addresses);
    },
  };
}

/** Registries of tests, at any port of this machine; Docker trusts them anyway. */
const TRUSTED_REGISTRIES = '[[registry]]\nlocation = "127.0.0.1"\ninsecure = true\n';

/** runc, because crun refuses machines with both versions of cgroups; cgroupfs and a file, because there may be no systemd. */
function containersConf(addresses: string): string {
  return `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
default_subnet_pools = [{ base = "${addresses}", size = 24 }]
`;
}

/**
 * A Podman that was killed leaves firewall rules behind. They would send connections to a port of this machine, which
 * anybody may get next, to a container that is gone.
 */
function removeForwarding(addresses: string): void {
  const env = { ...process.env, PATH };
  const shell = (command: string): string => spawnSync("sh", ["-c", command], { env, encoding: "utf8" }).stdout;
  const rules = shell("iptables --table nat --list-rules").split("\n");
  const place = ` --to-destination ${addresses.split(".").slice(0, 2).join(".")}.`;
  const own = rules.filter((rule) => rule.includes(place)).map((rule) => rule.split(" ")[1] ?? "");
  for (const chain of new Set(own)) {
    const jumps = rules.filter((rule) => rule.endsWith(` -j ${chain}`));
    for (const rule of jumps) shell(`iptables --table nat ${rule.replace(/^-A/u, "-D")}`);
    shell(`iptables --table nat --flush ${chain} && iptables --table nat --delete-chain ${chain}`);
  }
}
