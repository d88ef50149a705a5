import type { Server } from "node:http";

/** Where something listens, and the variable that changes it. */
export type Place = { readonly host: string; readonly port: number; readonly variable: string };

/** The port that a listening server has, also when it took a free one. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens on no port");
  return address.port;
}

/** Says what keeps a port from being had, and which variable takes another one. */
export async function withPortSentence<Result>(
  { host, port, variable }: Place,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const why = code === "EADDRINUSE" ? "is in use" : code === "EACCES" ? "is not allowed for this user" : undefined;
    if (why === undefined) throw error;
    throw new Error(
      `The port ${port} of ${host} ${why}. Stop what uses it, or set ${variable} to another port, e.g. ${variable}=${port + 100}.`,
      { cause: error },
    );
  }
}
