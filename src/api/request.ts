import createClient from "openapi-fetch";
import { Response } from "../platform/http/send.ts";
import { currentTrail } from "../platform/trail.ts";
import type { Built } from "./exchange.ts";
import { type AskedBy, askedByHeaders } from "./extension-headers.ts";
import { invalid, type Problem } from "./problem.ts";
import { pathSafe } from "./request-limits.ts";
import { operationTable, type Call, type Operation, type OperationId, type SendOptions } from "./operations.ts";
import type { paths } from "./schema.ts";

export type ApiAccount = { readonly username: string; readonly token: string };

/** Why a call can't be sent; undefined when it can. */
export function unsendable(call: Call, account: ApiAccount): Problem | undefined {
  if (!fitsHeader(account.username) || !fitsHeader(account.token)) {
    // The runtime's own error would quote the token.
    const sentence = "This account's user name or token is empty or has characters that can't be sent.";
    return invalid(call.op, sentence, "Connect the account again and copy the token exactly.");
  }
  for (const [parameter, value] of Object.entries(call.path)) {
    // `typeof`: the compiler hasn't checked a stored call.
    if (typeof value === "string" && pathSafe(value)) continue;
    const what = parameter.replaceAll("_", " ");
    const sentence = `This ${what} can't be used: it is empty, "." or "..", or contains "/", "\\" or control characters.`;
    return invalid(call.op, sentence, `Copy the ${what} from the list.`);
  }
  return undefined;
}

/** Visible ASCII and inner spaces, which every server reads the same way (https://www.rfc-editor.org/rfc/rfc9110#section-5.5). */
function fitsHeader(value: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/u.test(value);
}

export type RequestSettings = {
  /** Without a trailing slash; may have a path. */
  readonly baseUrl: string;
  readonly account: ApiAccount;
  readonly signal: AbortSignal;
  readonly asked?: AskedBy | undefined;
};

/** What openapi-fetch would send: a `Request` costs more than the rest of the work for one. */
class Unsent {
  readonly url: string;
  readonly init: RequestInit;
  constructor(url: string, init: RequestInit) {
    this.url = url;
    this.init = init;
  }
}

/** It only builds requests: it would read the body of an error without a limit. */
const builder = createClient<paths>({ Request: Unsent as unknown as typeof Request }); // made with `new`, handed to `fetch`

/** openapi-fetch needs a response, though nothing was sent. */
const NOTHING = new Response(null, { status: 204 });

/** Builds the request of a call. */
export async function requestFor(call: Call, { baseUrl, account, signal, asked }: RequestSettings): Promise<Built> {
  let built: Unsent | undefined;
  // Only with tracing: https://www.w3.org/TR/trace-context/#traceparent-header
  const traceparent = currentTrail()?.traceparent();
  const options: SendOptions = {
    baseUrl,
    headers: {
      username: account.username,
      Authorization: `token ${account.token}`,
      ...askedByHeaders(asked),
      ...(traceparent !== undefined && { traceparent }),
    },
    fetch(request) {
      built = request as unknown as Unsent; // of the class above
      return Promise.resolve(NOTHING);
    },
  };
  // The row of this operation takes this call; TypeScript can't relate the two unions.
  const { send } = operationTable[call.op] as Operation<OperationId>; // see above
  await send(builder, call, options);
  if (built === undefined) throw new Error(`the operation table sends nothing for ${call.op}`);
  const { method = "GET", headers, body } = built.init;
  const outgoing = {
    method,
    headers: Object.fromEntries(headers as Headers), // openapi-fetch merges all of them into one
    ...(typeof body === "string" && { body }),
    signal,
  };
  return { url: built.url, outgoing };
}
