import type { OperationId } from "../../src/api/operations.ts";
import { routesOf, loadSpec } from "../../src/service/api/contract.ts";

const routes = routesOf(loadSpec()).map(({ op, method, template }) => ({
  op: op as OperationId, // the contract's names are what the type was generated from
  method: method.toUpperCase(),
  path: new RegExp(`^${template.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"),
}));

/** Which operation of the contract a request is. */
export function operationOf({ method, url }: Request): OperationId {
  const { pathname } = new URL(url);
  const route = routes.find((each) => each.method === method && each.path.test(pathname));
  if (route === undefined) throw new Error(`${method} ${pathname} is no operation of the contract`);
  return route.op;
}

/** A request that the bot sent to the service, with the account that it named. */
export type SentRequest = { readonly op: OperationId; readonly username: string | null };

/** Pages beyond the contract cost no call: the health page, and the wait for a change. */
const FREE = /\/(?:healthz|events)$/u;

/** Notes each operation before it is sent. */
export function noting(sent: SentRequest[], next: (request: Request) => Promise<Response>): typeof next {
  return (request) => {
    const username = request.headers.get("username");
    if (!FREE.test(new URL(request.url).pathname)) sent.push({ op: operationOf(request), username });
    return next(request);
  };
}
