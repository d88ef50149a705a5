import { homedir } from "node:os";
import { join } from "node:path";

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
