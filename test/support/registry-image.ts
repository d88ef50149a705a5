import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { tarOf } from "./daemons/tar.ts";

/** A static busybox with a few applets, and nothing else. */
export type NewImage = {
  /** `team/app:1` */
  readonly name: string;
  /** The file /version holds it, so that two images of a name differ. */
  readonly version?: string;
  /** Random bytes, which nothing can make smaller. */
  readonly extraMb?: number;
  /** Of another machine: the registry then has a list of platforms, and this one isn't in it. */
  readonly isForeign?: boolean;
};

export type PushTo = {
  readonly host: string;
  readonly login?: { readonly username: string; readonly password: string };
};

type Blob = { readonly content: Buffer; readonly mediaType: string };
type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number };

const DOCKER = "application/vnd.docker";
const MANIFEST = `${DOCKER}.distribution.manifest.v2+json`;

/** By the registry's own API, so no daemon has the image before it is pulled. Returns its whole name. */
export async function pushImage(to: PushTo, image: NewImage): Promise<string> {
  const [repository = "", tag = "latest"] = image.name.split(":");
  const path = `/v2/${repository}`;
  const architecture = image.isForeign === true ? "s390x" : process.arch === "x64" ? "amd64" : process.arch;
  const layer: Blob = { content: layerOf(image), mediaType: `${DOCKER}.image.rootfs.diff.tar` };
  const config: Blob = {
    content: Buffer.from(
      JSON.stringify({
        architecture,
        os: "linux",
        config: { Cmd: ["sh"], Env: ["PATH=/bin"] },
        rootfs: { type: "layers", diff_ids: [digestOf(layer.content)] },
      }),
    ),
    mediaType: `${DOCKER}.container.image.v1+json`,
  };
  await upload(to, path, config);
  await upload(to, path, layer);
  const manifest = manifestOf(MANIFEST, { config: described(config), layers: [described(layer)] });
  if (image.isForeign === true) {
    const { digest } = described(manifest);
    await put(to, `${path}/manifests/${digest}`, manifest);
    const manifests = [{ ...described(manifest), platform: { architecture, os: "linux" } }];
    const list = manifestOf(`${DOCKER}.distribution.manifest.list.v2+json`, { manifests });
    await put(to, `${path}/manifests/${tag}`, list);
  } else await put(to, `${path}/manifests/${tag}`, manifest);
  return `${to.host}/${repository}:${tag}`;
}

function layerOf({ version = "1", extraMb = 0 }: NewImage): Buffer {
  const applets = ["sh", "echo", "sleep", "cat"];
  return tarOf([
    { path: "bin", kind: "folder", mode: 0o755 },
    { path: "bin/busybox", kind: "file", mode: 0o755, content: readFileSync("/bin/busybox") },
    ...applets.map((applet) => ({ path: `bin/${applet}`, kind: "link", target: "busybox" }) as const),
    { path: "version", kind: "file", mode: 0o644, content: Buffer.from(version) },
    { path: "extra", kind: "file", mode: 0o644, content: randomBytes(extraMb * 1_000_000) },
  ]);
}

function manifestOf(mediaType: string, content: object): Blob {
  return { content: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...content })), mediaType };
}

function described({ content, mediaType }: Blob): Descriptor {
  return { mediaType, digest: digestOf(content), size: content.length };
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

async function upload(to: PushTo, path: string, blob: Blob): Promise<void> {
  const begun = await call(to, { method: "POST", path: `${path}/blobs/uploads/` });
  const place = new URL(begun.headers.get("location") ?? "", `http://${to.host}`);
  place.searchParams.set("digest", digestOf(blob.content));
  await put(to, `${place.pathname}${place.search}`, { ...blob, mediaType: "application/octet-stream" });
}

async function put(to: PushTo, path: string, blob: Blob): Promise<void> {
  await call(to, { method: "PUT", path, blob });
}

type Call = { readonly method: string; readonly path: string; readonly blob?: Blob };

async function call({ host, login }: PushTo, { method, path, blob }: Call): Promise<Response> {
  const basic = login && Buffer.from(`${login.username}:${login.password}`).toString("base64");
  const response = await fetch(`http://${host}${path}`, {
    method,
    headers: {
      ...(blob && { "content-type": blob.mediaType }),
      ...(basic !== undefined && { authorization: `Basic ${basic}` }),
    },
    ...(blob && { body: new Uint8Array(blob.content) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}
