import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type TarEntry, tarOf } from "./tar.ts";

const CREATED = "2026-01-01T00:00:00Z";

/** What the image says of its containers, in Docker's words; times are in nanoseconds. */
type ImageConfig = {
  readonly Cmd?: readonly string[];
  readonly Healthcheck?: { readonly Test: readonly string[]; readonly Interval: number; readonly Retries: number };
};

/**
 * A Docker archive, as `docker load` takes it, with a static busybox under this name and nothing else. Neither a registry
 * nor another program is needed.
 */
export function busyboxImage(name: string, own: ImageConfig = {}): Buffer {
  const busybox = "/bin/busybox";
  const applets = execFileSync(busybox, ["--list"], { encoding: "utf8" }).trim().split("\n");
  const layer = tarOf([
    ...["bin", "tmp", "etc"].map((path): TarEntry => ({ path, kind: "folder", mode: path === "tmp" ? 0o1777 : 0o755 })),
    { path: "bin/busybox", kind: "file", mode: 0o755, content: readFileSync(busybox) },
    ...applets.flatMap((applet): TarEntry[] =>
      applet === "busybox" ? [] : [{ path: `bin/${applet}`, kind: "link", target: "busybox" }],
    ),
    file("etc/passwd", "root:x:0:0::/:/bin/sh\n"),
    file("etc/group", "root:x:0:\n"),
  ]);
  const digest = hashOf(layer);
  const config = JSON.stringify({
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    created: CREATED,
    config: { Cmd: ["sh"], Env: ["PATH=/bin"], ...own },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
    history: [{ created: CREATED }],
  });
  const configPath = `${hashOf(config)}.json`;
  const layerPath = `${digest}/layer.tar`;
  return tarOf([
    file(configPath, config),
    { path: layerPath, kind: "file", mode: 0o644, content: layer },
    file("manifest.json", JSON.stringify([{ Config: configPath, RepoTags: [name], Layers: [layerPath] }])),
  ]);
}

function file(path: string, text: string): TarEntry {
  return { path, kind: "file", mode: 0o644, content: Buffer.from(text) };
}

function hashOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
