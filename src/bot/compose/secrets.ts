import { urlSecrets } from "../../platform/database/database-tls.ts";
import type { Config, RealSlack } from "./config.ts";
import { proxySecrets } from "./proxy.ts";

/** Secrets that must not appear in any log. */
export function secretsOf({ slack, service, store, keys, proxy }: Config): readonly string[] {
  return [
    ...(store.kind === "postgres" ? urlSecrets(store.url) : []),
    ...(keys === undefined ? [] : [keys, ...keys.split(",").map((key) => key.slice(key.indexOf(":") + 1))]),
    ...(slack.kind === "real" ? slackSecrets(slack) : []),
    ...proxySecrets(proxy),
    ...serviceSecrets(service),
  ];
}

function serviceSecrets(service: Config["service"]): readonly string[] {
  if (service.kind === "embedded") return service.engine.secrets;
  return service.account === undefined ? [] : [service.account.token];
}

function slackSecrets({ tokens, transport }: RealSlack): readonly string[] {
  return [
    tokens.kind === "one" ? tokens.botToken : tokens.clientSecret,
    transport.kind === "http" ? transport.signingSecret : transport.appToken,
  ];
}
