import { readFile } from "node:fs/promises";
import { z } from "zod";
import { askHelper, type RunHelper, runHelper } from "./credential-helper.ts";
import { HUB, type ImageReference } from "./image-reference.ts";

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
export type Login = { readonly username: string; readonly password: string } | { readonly identitytoken: string };

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
        if (login) return { header: headerOf(login, image) };
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
  const login = keys.map((key) => loginAt(key, file)).find((found) => found !== undefined);
  const store = file.credsStore ?? "";
  return login ?? (store === "" ? undefined : await askHelper(store, serverOf(image), run));
}

function loginAt(key: string, { auths }: AuthFile): Login | undefined {
  const entry = Object.entries(auths ?? {}).find(([name]) => name === key || hostOf(name) === key)?.[1];
  return entry && loginOf(entry);
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

/** Old entries are addresses: `https://registry.example.com/v1/`. */
function hostOf(name: string): string | undefined {
  return /^https?:\/\/([^/]+)/u.exec(name)?.[1];
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

function headerOf(login: Login, image: ImageReference): string {
  return Buffer.from(JSON.stringify({ ...login, serveraddress: serverOf(image) })).toString("base64url");
}
