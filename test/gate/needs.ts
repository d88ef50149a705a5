import { execFile, execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../..");

/** What a part needs beside Node: Debian's packages, and a check that says what is missing. */
const needs = {
  postgresql: { packages: ["postgresql"], missing: () => noFile("/usr/lib/postgresql/*/bin/initdb") },
  chromium: {
    packages: ["chromium-headless-shell", "fonts-dejavu-core", "fonts-noto-color-emoji"],
    missing: () => (existsSync("/usr/bin/chromium") ? undefined : noFile("/usr/bin/chromium-headless-shell")),
  },
  prometheus: { packages: ["prometheus"], missing: () => noProgram("prometheus", "promtool") },
  faketime: { packages: ["faketime"], missing: () => noProgram("faketime") },
  // runc, because Podman's other runtime refuses the control groups of some machines.
  docker: { packages: ["docker.io", "runc"], missing: () => noProgram("dockerd", "runc") },
  podman: {
    packages: ["podman", "runc", "netavark", "aardvark-dns"],
    missing: () => noProgram("podman", "runc"),
  },
  // With the static busybox that the images in it are made of.
  registry: {
    packages: ["docker-registry", "busybox-static"],
    missing: () => noProgram("docker-registry") ?? noFile("/bin/busybox"),
  },
  compose: { packages: ["docker-compose", "debootstrap"], missing: () => noProgram("docker-compose", "debootstrap") },
  cluster: {
    packages: ["python3", "xz-utils"],
    missing: () => (process.env["GANTRY_TEST_KUBECONFIG"] ? undefined : noClusterScripts()),
  },
  history: { packages: [], missing: noHistory },
} as const satisfies Readonly<
  Record<string, { readonly packages: readonly string[]; readonly missing: () => string | undefined }>
>;
export type Need = keyof typeof needs;

/** Why a part can't run here; undefined when it can. */
export function missingOf(wanted: readonly Need[]): string | undefined {
  return wanted.map((name) => needs[name].missing()).find((why) => why !== undefined);
}

/** Installs what is missing, with Debian's package manager. What can't be installed is found by `missingOf` afterwards. */
export async function install(wanted: readonly Need[]): Promise<void> {
  const packages = wanted.filter((name) => needs[name].missing() !== undefined).flatMap((name) => needs[name].packages);
  if (packages.length === 0 || noProgram("apt-get") !== undefined) return;
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive"];
  const run = async (...words: readonly string[]): Promise<void> => {
    const [program = "", ...args] = [...asRoot, "env", "DEBIAN_FRONTEND=noninteractive", ...words];
    await promisify(execFile)(program, args, { maxBuffer: 64 * 1024 ** 2 });
  };
  try {
    await run("apt-get", "update", "-qq");
    await run("apt-get", "install", "-y", "-qq", "--no-install-recommends", ...new Set(packages));
  } catch (error) {
    process.stderr.write(
      `Packages could not be installed: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}

function noFile(pattern: string): string | undefined {
  return globSync(pattern).length > 0 ? undefined : `there is no ${pattern}`;
}

function noProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  const gone = names.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return gone && `there is no program ${gone}`;
}

function noClusterScripts(): string | undefined {
  const up = resolve(root, process.env["GANTRY_KUBE_RIG_SCRIPTS"] ?? "../shared/kube", "up");
  if (!existsSync(up))
    return "there is no cluster: set GANTRY_TEST_KUBECONFIG, or GANTRY_KUBE_RIG_SCRIPTS to a folder with up and down";
  return noProgram("python3", "xz");
}

/** The commit that `test/image/upgrade.test.ts` upgrades from. A shallow clone lacks it. */
function noHistory(): string | undefined {
  const source = readFileSync(join(root, "test/image/upgrade.test.ts"), "utf8");
  const commit = /^const EARLIER = "(\w+)"/mu.exec(source)?.[1] ?? "";
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" });
    return undefined;
  } catch {
    return `this clone has no commit ${commit}; fetch the whole history`;
  }
}
