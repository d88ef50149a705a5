import { type Dispatcher, EnvHttpProxyAgent } from "undici";
import { machineClock } from "../clock.ts";
import { createPost, createSend, type Post, type Send } from "./send.ts";

/** The proxies between this machine and others, as addresses. */
export type ProxySettings = {
  readonly httpsProxy: string | undefined;
  readonly httpProxy: string | undefined;
  /** Hosts that are reached directly, separated by commas. */
  readonly noProxy: string | undefined;
};

/** How requests leave this machine. Servers of this machine are always reached directly. */
export type Network = {
  readonly send: Send;
  readonly post: Post;
  /** For what is sent now and then by a library. */
  readonly fetch: typeof globalThis.fetch;
  /** For WebSockets; undefined without a proxy. */
  readonly dispatcher: Dispatcher | undefined;
  readonly close: () => Promise<void>;
};

/** No proxy knows this machine's own servers, such as the simulated Slack. */
const OWN_HOSTS = ["localhost", "127.0.0.1", "::1"];

const direct = createSend();

/** Without a proxy. */
export const directNetwork: Network = {
  send: direct,
  post: createPost(direct, machineClock),
  fetch: (input, init) => fetch(input, init),
  dispatcher: undefined,
  close: () => Promise.resolve(),
};

/**
 * The dispatcher is handed to each request instead of being set for the whole process: the engines and the simulated Slack
 * never go through a proxy. Node's own `NODE_USE_ENV_PROXY` would send them there as well.
 */
export function createNetwork({ httpsProxy, httpProxy, noProxy }: ProxySettings): Network {
  if (httpsProxy === undefined && httpProxy === undefined) return directNetwork;
  const dispatcher = new EnvHttpProxyAgent({
    // Empty rather than undefined: otherwise the library reads the environment, with other rules than ours.
    httpsProxy: httpsProxy ?? "",
    httpProxy: httpProxy ?? "",
    // A WebSocket needs a connection of its own.
    allowH2: false,
    noProxy: [...(noProxy === undefined ? [] : [noProxy]), ...OWN_HOSTS].join(","),
  });
  const send = createSend(dispatcher);
  return {
    send,
    post: createPost(send, machineClock),
    fetch(input, init) {
      // Node's types know an older version of the same library.
      const through: object = { ...init, dispatcher };
      return fetch(input, through);
    },
    dispatcher,
    close: () => dispatcher.destroy(),
  };
}
