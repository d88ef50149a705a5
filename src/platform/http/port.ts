import type { Server } from "node:http";

/** Where something listens, and the variable that changes it. */
export type Place = { readonly host: string; readonly port: number; readonly variable: string };

/** The port that a listening server has, also when it took a free one. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens on no port");
  return address.port;
}

const sentences: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ host, port, variable }) =>
    `The port ${port} of ${host} is in use. Stop what uses it, or set ${variable} to another port, e.g. ${variable}=${anotherPort(port)}.`,
  EACCES: ({ host, port, variable }) =>
    `The port ${port} of ${host} is not allowed for this user. Set ${variable} to one from 1024, e.g. ${variable}=${port + 3_000}.`,
  EADDRNOTAVAIL: notOurs,
  ENOTFOUND: notOurs,
  EAI_AGAIN: notOurs,
};

/** A suggestion; no port is above 65535. */
function anotherPort(port: number): number {
  return port + 100 > 65_535 ? port - 100 : port + 100;
}

/** Each PORT variable has a HOST variable beside it. */
function notOurs({ host, variable }: Place): string {
  const address = variable.replace(/PORT$/u, "HOST");
  return `${host} isn't an address of this machine. Set ${address} to one of them, e.g. ${address}=127.0.0.1.`;
}

const everywhere = ["0.0.0.0", "::"];

/** A sentence for each pair that names the same port. Pure. */
export function samePorts(places: readonly Place[]): string[] {
  return places.flatMap((one, at) =>
    places.slice(at + 1).flatMap((other) => {
      const isSameHost = one.host === other.host || [one.host, other.host].some((host) => everywhere.includes(host));
      if (one.port !== other.port || one.port === 0 || !isSameHost) return [];
      const example = `${other.variable}=${anotherPort(one.port)}`;
      return `${one.variable} and ${other.variable} name the same port, ${one.port}. Change one of them, e.g. ${example}.`;
    }),
  );
}

/** Says what keeps a port from being had, and which variable takes another one. */
export async function withPortSentence<Result>(
  { host, port, variable }: Place,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
    const sentence = sentences[code];
    if (sentence === undefined) throw error;
    throw new Error(sentence({ host, port, variable }), { cause: error });
  }
}
