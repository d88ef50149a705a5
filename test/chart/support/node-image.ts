import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { KubeItem } from "../../support/kube-call.ts";

const projectDir = resolve(import.meta.dirname, "../../..");

/** Where the node of the tests keeps its images; undefined when it isn't one of ours on this machine. */
export function containerdOf(kubeconfig: string): string | undefined {
  const socket = resolve(dirname(kubeconfig), "../containerd.sock");
  return existsSync(socket) ? socket : undefined;
}

/** The address of a node that is this machine: pods reach it there. */
export function addressOf(nodes: readonly KubeItem[]): string | undefined {
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const known = nodes.flatMap(
    ({ status }) => (status as { addresses?: readonly { address: string }[] }).addresses ?? [], // as Kubernetes has it
  );
  return known.map(({ address }) => address).find((address) => own.includes(address));
}

/**
 * Gives the node an image with what the Dockerfile's has: Node, our production packages and our sources, started the same
 * way. Building the real one needs Docker and a registry, and `npm run test:image` does it.
 */
export async function loadImage(containerd: string, name: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-chart-image-"));
  try {
    const root = join(folder, "root");
    await fillRoot(root);
    const layer = join(folder, "layer.tar");
    const without = ["*.d.ts", "*.d.mts", "*.d.cts", "*.map"].map((pattern) => `--exclude=${pattern}`);
    run("tar", ["--create", "--file", layer, "--owner=0", "--group=0", ...without, "--directory", root, "."]);
    await writeArchive(folder, await hashOf(layer), name);
    const files = ["config.json", "layer.tar", "manifest.json"];
    const tar = spawn("tar", ["--create", "--directory", folder, ...files], { stdio: ["ignore", "pipe", "inherit"] });
    const ctr = spawn("ctr", ["-a", containerd, "-n", "k8s.io", "images", "import", "-"], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    tar.stdout.pipe(ctr.stdin);
    const [said, [code]] = await Promise.all([
      text(ctr.stderr),
      once(ctr, "exit") as Promise<[number | null]>, // Node's event
    ]);
    if (code !== 0) throw new Error(`ctr images import ended with ${code}: ${said}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function tagImage(containerd: string, name: string, other: string): void {
  run("ctr", ["-a", containerd, "-n", "k8s.io", "images", "tag", "--force", name, other]);
}

export function removeImage(containerd: string, name: string): void {
  run("ctr", ["-a", containerd, "-n", "k8s.io", "images", "remove", name]);
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { cwd: projectDir, encoding: "utf8", maxBuffer: 2 ** 26 });
}

async function fillRoot(root: string): Promise<void> {
  const app = join(root, "app");
  for (const path of ["usr/bin", "usr/local/bin", "etc", "tmp", "data", "app"])
    await mkdir(join(root, path), { recursive: true });
  await writeFile(join(root, "etc/passwd"), "root:x:0:0::/:/\nnode:x:1000:1000::/home/node:/\n");
  await symlink("/app/src/gantry.js", join(root, "usr/local/bin/gantry"));
  // The first line of gantry.js needs it.
  await cp("/usr/bin/env", join(root, "usr/bin/env"), { dereference: true });
  const libraries = [...run("ldd", [process.execPath]).matchAll(/(\/\S+) \(0x/gu)].map(([, path = ""]) => path);
  for (const path of libraries) await cp(path, join(root, path), { dereference: true, recursive: true });
  await cp(process.execPath, join(root, "usr/local/bin/node"), { dereference: true });
  const listed = run("npm", ["ls", "--omit=dev", "--omit=optional", "--all", "--parseable"]).trim().split("\n");
  const packages = listed.map((path) => relative(projectDir, path)).filter((path) => path.startsWith("node_modules/"));
  // A package inside another one comes with it.
  const outer = packages.filter((path) => path.split("node_modules/").length === 2);
  for (const path of [...outer, "src", "package.json", "openapi.yaml", "manifest.yml", "LICENSE"])
    await cp(join(projectDir, path), join(app, path), { recursive: true });
}

/** A Docker archive of one layer, with the settings of the Dockerfile's last stage. */
async function writeArchive(folder: string, digest: string, name: string): Promise<void> {
  const dockerfile = await readFile(join(projectDir, "Dockerfile"), "utf8");
  const words = (instruction: string): readonly string[] =>
    JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, "mu").exec(dockerfile)?.[1] ?? "[]") as readonly string[]; // Docker's form
  const config = JSON.stringify({
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: {
      User: "node",
      WorkingDir: "/app",
      Env: ["PATH=/usr/local/bin", "NODE_ENV=production", "HOST=0.0.0.0", "GANTRY_DATA=/data"],
      Entrypoint: words("ENTRYPOINT"),
      Cmd: words("CMD"),
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
  });
  await writeFile(join(folder, "config.json"), config);
  const manifest = [{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }];
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer); // a stream without encoding
  return hash.digest("hex");
}
