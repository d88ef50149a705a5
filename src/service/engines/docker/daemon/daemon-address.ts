import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where a daemon listens. */
export type DaemonAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly tls?: DaemonTls | undefined };

/** The certificates of a connection, as PEM. */
type DaemonTls = { readonly ca: string; readonly cert: string; readonly key: string };

type AddressVariable = "DOCKER_HOST" | "CONTAINER_HOST";

/** Why the variable's value is no address that Gantry can use; undefined for one that is. Completes its name. */
export function addressProblem(variable: AddressVariable, text: string): string | undefined {
  if (/^(?:unix|tcp):\/\/[^/]|^unix:\/\/\/./u.test(text)) return URL.canParse(text) ? undefined : FORM;
  if (text.startsWith("ssh:")) {
    return `is an address of ssh, which Gantry doesn't speak. Run Gantry's workload API on that machine, or unset ${variable}`;
  }
  return FORM;
}

const FORM = "must be an address like unix:///var/run/docker.sock or tcp://127.0.0.1:2375";

export type TlsSettings = {
  /** DOCKER_TLS_VERIFY is set. */
  readonly isVerified: boolean;
  /** DOCKER_CERT_PATH; `~/.docker` if undefined. */
  readonly certPath?: string | undefined;
};

/** Of a text without a problem. Throws an Error that names the file when a certificate can't be read. */
export async function addressOf(text: string, { isVerified, certPath }: TlsSettings): Promise<DaemonAddress> {
  if (text.startsWith("unix://")) return { socketPath: text.slice("unix://".length) };
  const { hostname, port } = new URL(text);
  const host = hostname.replace(/^\[|\]$/gu, "");
  // Docker's own ports, without and with TLS.
  if (!isVerified) return { host, port: Number(port || 2375) };
  return { host, port: Number(port || 2376), tls: await certificatesIn(certPath ?? join(homedir(), ".docker")) };
}

async function certificatesIn(folder: string): Promise<DaemonTls> {
  const [ca, cert, key] = await Promise.all(
    ["ca.pem", "cert.pem", "key.pem"].map(async (name) => {
      return await readFile(join(folder, name), "utf8").catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(
          `Nothing was started: a certificate for Docker can't be read (${why}). Set DOCKER_CERT_PATH to the folder of ca.pem, cert.pem and key.pem, or unset DOCKER_TLS_VERIFY.`,
        );
      });
    }),
  );
  return { ca: ca ?? "", cert: cert ?? "", key: key ?? "" };
}

/** Whether the daemon runs on this machine, so that what it publishes on 127.0.0.1 can be reached. */
export function isLocal(address: DaemonAddress): boolean {
  return "socketPath" in address || /^(?:127\.|::1$|localhost$)/u.test(address.host);
}

/** For people; the form of DOCKER_HOST. */
export function addressText(address: DaemonAddress): string {
  if ("socketPath" in address) return `unix://${address.socketPath}`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `tcp://${host}:${address.port}`;
}

/** For requests. A socket's server may have any name. */
export function originOf(address: DaemonAddress): string {
  if ("socketPath" in address) return "http://localhost";
  return addressText(address).replace("tcp:", address.tls ? "https:" : "http:");
}
