import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const projectDir = resolve(import.meta.dirname, "../../..");

/** Settings with which npm reaches a registry from this machine; none of them is a secret. */
const npmSettings = ["registry", "cafile", "https-proxy", "noproxy"];

export const NODE_IMAGE = "node:26-slim";
export const POSTGRES_IMAGE = "postgres:18";

/**
 * Imports what the Dockerfile and compose.yaml start from, for a daemon that can't pull it: a small Debian with the Node
 * that `npm ci` brought, npm and a user `node`; and the same Debian with this machine's PostgreSQL.
 */
export async function importStandIns(host: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "gantry-image-"));
  try {
    // No mirror is named: it is the one of debootstrap's own script.
    await run("debootstrap", ["--variant=minbase", "--include=libatomic1", await codename(), root], {
      env: systemEnv(),
    });
    await Promise.all(["var/cache/apt", "var/lib/apt/lists"].map((path) => rm(join(root, path), { recursive: true })));
    await addNode(root);
    await importFolder(host, root, { name: NODE_IMAGE, changes: ['CMD ["node"]'] });
    await addPostgres(root);
    await importFolder(host, root, {
      name: POSTGRES_IMAGE,
      changes: [
        "ENV PGDATA=/var/lib/postgresql/18/docker",
        "VOLUME /var/lib/postgresql",
        'ENTRYPOINT ["/usr/local/bin/docker-entrypoint.sh"]',
        `CMD ["postgres", "-c", "listen_addresses=*"]`,
      ],
    });
    // An import doesn't take it.
    await run("sh", ["-c", `echo 'FROM ${POSTGRES_IMAGE}\nSTOPSIGNAL SIGINT' | docker build -t ${POSTGRES_IMAGE} -`], {
      env: { ...process.env, DOCKER_HOST: host },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** This machine's release, whose libraries its PostgreSQL needs. */
async function codename(): Promise<string> {
  const name = /^VERSION_CODENAME=(\w+)$/mu.exec(await readFile("/etc/os-release", "utf8"))?.[1];
  if (name === undefined) throw new Error("/etc/os-release has no VERSION_CODENAME: the stand-ins need Debian");
  return name;
}

/** Debian's own programs, which a user's PATH may lack. */
function systemEnv(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` };
}

async function addNode(root: string): Promise<void> {
  const local = join(root, "usr/local");
  const npm = (await run("sh", ["-c", 'readlink -f "$(command -v npm)"'], { env: npmEnv() })).stdout.trim();
  await cp(process.execPath, join(local, "bin/node"), { dereference: true });
  await cp(resolve(npm, "../.."), join(local, "lib/node_modules/npm"), { recursive: true });
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
  await run("chroot", [root, "useradd", "--create-home", "--uid", "1000", "node"], { env: systemEnv() });
  const settings = await Promise.all(npmSettings.map(async (name) => [name, await npmSetting(name)] as const));
  const set = settings.filter(([, value]) => !["", "null", "undefined"].includes(value));
  await mkdir(join(local, "etc"), { recursive: true });
  await writeFile(join(local, "etc/npmrc"), set.map(([name, value]) => `${name}=${value}\n`).join(""));
  const cafile = new Map(set).get("cafile");
  if (cafile !== undefined) await cp(cafile, join(root, cafile), { dereference: true });
}

async function npmSetting(name: string): Promise<string> {
  return (await run("npm", ["config", "get", name], { cwd: projectDir, env: npmEnv() })).stdout.trim();
}

/** The machine's own npm with its own Node: inside `npm run`, it would read other files. */
function npmEnv(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: folders.join(delimiter) };
}

/** Debian's package as it is installed here, and the libraries that it needs. Installing it anew would take minutes. */
async function addPostgres(root: string): Promise<void> {
  const [version] = (await readdir("/usr/lib/postgresql")).toSorted((a, b) => Number(b) - Number(a));
  const bin = `/usr/lib/postgresql/${version}/bin`;
  const folders = [dirname(bin), `/usr/share/postgresql/${version}`];
  await Promise.all(folders.map((path) => cp(path, join(root, path), { recursive: true })));
  const programs = (await readdir(bin)).map((name) => join(bin, name));
  const needed = (await run("ldd", programs)).stdout.matchAll(/=> (\/\S+)/gu);
  const libraries = [...new Set([...needed].map(([, path = ""]) => path))];
  await Promise.all(libraries.map((path) => cp(path, join(root, path), { dereference: true })));
  await Promise.all(programs.map((path) => symlink(path, join(root, "usr/local/bin", path.slice(bin.length + 1)))));
  await run("chroot", [root, "useradd", "--system", "--home-dir", "/var/lib/postgresql", "postgres"], {
    env: systemEnv(),
  });
  const entry = join(root, "usr/local/bin/docker-entrypoint.sh");
  await cp(join(import.meta.dirname, "postgres-entry.sh"), entry);
  await chmod(entry, 0o755);
}

type Imported = { readonly name: string; readonly changes: readonly string[] };

async function importFolder(host: string, folder: string, { name, changes }: Imported): Promise<void> {
  const options = changes.flatMap((change) => ["--change", change]);
  const script = 'folder=$1; shift; tar --create --directory "$folder" . | docker import "$@"';
  await run("sh", ["-c", script, "sh", folder, ...options, "-", name], { env: { ...process.env, DOCKER_HOST: host } });
}
