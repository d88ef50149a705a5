import type { ProxySettings } from "../../platform/http/network.ts";
import type { Environment } from "./environment.ts";

const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const;

type Given = Readonly<Record<string, string | undefined>>;

/** The variables of proxies that are set in lower case, as most programs read them first. */
export function lowerCaseProxies(set: Given): Given {
  const lower = names.filter((name) => set[name.toLowerCase()] !== undefined);
  return Object.fromEntries(lower.map((name) => [name, set[name.toLowerCase()]]));
}

export function proxyOf(env: Pick<Environment, (typeof names)[number]>): ProxySettings {
  return { httpsProxy: env.HTTPS_PROXY, httpProxy: env.HTTP_PROXY, noProxy: env.NO_PROXY };
}

/** The passwords in their addresses. */
export function proxySecrets({ httpsProxy, httpProxy }: ProxySettings): readonly string[] {
  return [httpsProxy, httpProxy].flatMap((url) => {
    if (url === undefined) return [];
    const { password } = new URL(url);
    return password === "" ? [] : [password, decodeURIComponent(password)];
  });
}
