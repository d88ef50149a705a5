import { readFile } from "node:fs/promises";
import { z } from "zod";
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { Refusal } from "../../../engine.ts";
import type { Container } from "../../../workloads/definitions.ts";

/** What the machine has for an image's registry. */
export type Credentials = {
  /** The value of `X-Registry-Auth`. */
  readonly header?: string;
  /** Why they can't be read, as a clause. The registry may not want any. */
  readonly problem?: string;
};

/** Never rejects. Undefined if there are none. They are read for each pull, so a new login counts at once. */
export type FindCredentials = (image: ImageReference) => Promise<Credentials | undefined>;

/** A name and password, or a token in their place. */
type Login = { readonly username: string; readonly password: string } | { readonly identitytoken: string };

const AuthFile = z.object({
  auths: z
    .record(z.string(), z.object({ auth: z.string().optional(), identitytoken: z.string().optional() }))
    .nullish(),
  credsStore: z.string().nullish(),
  credHelpers: z.record(z.string(), z.string()).nullish(),
});
type AuthFile = z.infer<typeof AuthFile>;

/** As `docker login` and `podman login` name Docker Hub. */
const HUB_SERVER = "https://index.docker.io/v1/";

/** The credentials of the first of the files that has any. */
export function credentialsIn(files: readonly string[], run: RunHelper = runHelper): FindCredentials {
  return async (image) => {
    for (const file of files) {
      try {
        const login = await loginIn(file, image, run);
        if (!login) continue;
        const header = JSON.stringify({ ...login, serveraddress: serverOf(image) });
        return { header: Buffer.from(header).toString("base64url") };
      } catch (error) {
        return { problem: `${file}: ${error instanceof Error ? error.message : String(error)}` };
      }
    }
    return undefined;
  };
}

async function loginIn(path: string, image: ImageReference, run: RunHelper): Promise<Login | undefined> {
  const file = await authFile(path);
  if (!file) return undefined;
  const keys = keysOf(image);
  const own = keys.find((key) => file.credHelpers?.[key] !== undefined);
  if (own !== undefined) return await askHelper(file.credHelpers?.[own] ?? "", own, run);
  const entries = Object.entries(file.auths ?? {}).map(([name, entry]) => {
    // Old entries are addresses: `https://registry.example.com/v1/`.
    return { names: [name, /^https?:\/\/([^/]+)/u.exec(name)?.[1]], entry };
  });
  const logins = keys.map((key) => loginOf(entries.find(({ names }) => names.includes(key))?.entry ?? {}));
  const login = logins.find((found) => found !== undefined);
  const store = file.credsStore ?? "";
  return login ?? (store === "" ? undefined : await askHelper(store, serverOf(image), run));
}

async function authFile(path: string): Promise<AuthFile | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new Error(`it can't be opened (${error.code})`, { cause: error });
  });
  if (text === undefined || text.trim() === "") return undefined;
  try {
    return AuthFile.parse(JSON.parse(text));
  } catch (error) {
    // The error of JSON.parse quotes the file.
    throw new Error("it isn't a credentials file of Docker or Podman", { cause: error });
  }
}

/** The most specific first: Podman also keeps logins of a repository or a part of its path. */
function keysOf({ registry, repository }: ImageReference): string[] {
  const parts = repository.split("/");
  const paths = parts.map((_, index) => [registry, ...parts.slice(0, parts.length - index)].join("/"));
  return [...paths, registry, ...(registry === HUB ? [HUB_SERVER, "index.docker.io"] : [])];
}

function serverOf({ registry }: ImageReference): string {
  return registry === HUB ? HUB_SERVER : registry;
}

type Entry = NonNullable<AuthFile["auths"]>[string];

/** Undefined for an empty entry: its credentials are in a helper. */
function loginOf({ auth = "", identitytoken = "" }: Entry): Login | undefined {
  if (identitytoken !== "") return { identitytoken };
  const decoded = Buffer.from(auth, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) return undefined;
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1).replace(/\0+$/u, "") };
}

type HelperEnd = { readonly output: string; readonly isOk: boolean };

/** Runs `program get` with the server on its standard input. Rejects when it can't be run or doesn't end. */
type RunHelper = (program: string, server: string) => Promise<HelperEnd>;

const Answer = z.object({ Username: z.string(), Secret: z.string() });

const HELPER_MS = 10_000;

/** https://github.com/docker/docker-credential-helpers#development: undefined when it has none for the server. */
async function askHelper(name: string, server: string, run: RunHelper): Promise<Login | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/u.test(name)) throw new Error(`${program} isn't the name of a program`);
  const { output, isOk } = await run(program, server);
  if (!isOk && /credentials not found/iu.test(output)) return undefined;
  if (!isOk) throw new Error(`${program} failed`);
  const { Username, Secret } = answerIn(output, program);
  return Username === "<token>" ? { identitytoken: Secret } : { username: Username, password: Secret };
}

function answerIn(output: string, program: string): z.infer<typeof Answer> {
  try {
    return Answer.parse(JSON.parse(output));
  } catch {
    // The cause would quote the secret.
    throw new Error(`${program} answered something else than credentials`);
  }
}

export const runHelper: RunHelper = (program, server) =>
  new Promise((resolve, reject) => {
    const child = execFile(program, ["get"], { timeout: HELPER_MS, killSignal: "SIGKILL" }, (error, output) => {
      if (!error || typeof error.code === "number") resolve({ output, isOk: !error });
      else if (error.code === "ENOENT") reject(new Error(`${program} isn't on this machine`));
      else reject(new Error(error.killed === true ? `${program} didn't end in 10 s` : `${program} couldn't be run`));
    });
    child.stdin?.on("error", () => undefined); // it may end without reading
    child.stdin?.end(server);
  });

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where `docker login` and `podman login` of this user keep credentials. Podman also reads Docker's.
 * https://docs.podman.io/en/latest/markdown/podman-login.1.html
 */
export function credentialFiles(program: "docker" | "podman", env: Environment): string[] {
  const home = env["HOME"] ?? homedir();
  const docker = join(env["DOCKER_CONFIG"] ?? join(home, ".docker"), "config.json");
  if (program === "docker") return [docker];
  const own = env["REGISTRY_AUTH_FILE"];
  if (own !== undefined && own !== "") return [own];
  const runtime = env["XDG_RUNTIME_DIR"] ?? `/run/containers/${process.getuid?.() ?? 0}`;
  const config = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  return [join(runtime, "containers/auth.json"), join(config, "containers/auth.json"), docker];
}

/** An image as a definition names it, taken apart. */
export type ImageReference = {
  /** With its tag or digest: without one, Docker would pull all tags. */
  readonly full: string;
  /** Where it is pulled from: `docker.io`, `registry.example.com:5000`. */
  readonly registry: string;
  /** Without registry, tag and digest: `library/nginx`. */
  readonly repository: string;
};

export const HUB = "docker.io";

/** The grammar of Docker and OCI: https://github.com/distribution/reference/blob/main/reference.go */
const HOST = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[a-fA-F0-9:]+\])(?::\d+)?`;
const PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const IMAGE = new RegExp(
  String.raw`^(?:(${HOST})/)?(${PART}(?:/${PART})*)(?::([\w][\w.-]{0,127}))?(?:@[a-z0-9+._-]+:[a-fA-F0-9]{32,})?$`,
  "u",
);

/** Undefined for a name that no image can have. */
export function referenceOf(image: string): ImageReference | undefined {
  const [, first, rest = "", tag] = IMAGE.exec(image) ?? [];
  if (rest === "") return undefined;
  const full = tag === undefined && !image.includes("@") ? `${image}:latest` : image;
  // The first part is a registry if it could be a host; `library/nginx` is one of Docker Hub's.
  if (first !== undefined && REGISTRY.test(first)) {
    const registry = first === "index.docker.io" ? HUB : first;
    return { full, registry, repository: registry === HUB ? inHub(rest) : rest };
  }
  const repository = first === undefined ? rest : `${first}/${rest}`;
  return /[A-Z]/u.test(repository) ? undefined : { full, registry: HUB, repository: inHub(repository) };
}

const REGISTRY = /[.:\]]|^localhost$/u;

/** The name in which the repository has no capitals, if the image is wrong in nothing else. Tags may have capitals. */
function withoutCapitals(image: string): string | undefined {
  const slash = image.indexOf("/");
  const registry = REGISTRY.test(image.slice(0, Math.max(0, slash))) ? image.slice(0, slash + 1) : "";
  const [repository = ""] = /^[^:@]*/u.exec(image.slice(registry.length)) ?? [];
  const rest = image.slice(registry.length + repository.length);
  const lower = `${registry}${repository.toLowerCase()}${rest}`;
  return lower === image || referenceOf(lower) === undefined ? undefined : lower;
}

function inHub(path: string): string {
  return path.includes("/") ? path : `library/${path}`;
}

/** Throws a `Refusal` 400 for a name that no image can have; whether there is such an image shows when it is pulled. */
export function checkImage({ image }: Pick<Container, "image">, where: string): void {
  if (referenceOf(image)) return;
  const lower = withoutCapitals(image);
  const hint =
    lower === undefined
      ? "use registry/name:tag, in lowercase letters"
      : `a repository name has no capital letters. Use ${JSON.stringify(lower)}`;
  throw new Refusal(400, `${where}.image ${JSON.stringify(image)} isn't the name of an image: ${hint}`);
}
