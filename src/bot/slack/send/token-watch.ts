import { kindOf } from "./slack-error.ts";

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export type TokenWatch = {
  /** Slack's code for refusing the token: "token_revoked"; undefined since a call succeeded again. */
  readonly refusal: () => string | undefined;
  /** `fetch` for clients of the Web API; notes whether each answer accepts the token. */
  readonly fetch: Fetch;
};

const ACCEPTED = /^\s*\{\s*"ok"\s*:\s*true\b/u;
const REFUSED = /"error"\s*:\s*"([a-z_]{1,60})"/u;

/** Reads every answer below the clients, so no client and no method is left out. */
export function createTokenWatch(real: Fetch): TokenWatch {
  let refusal: string | undefined;
  const note = (text: string): void => {
    if (ACCEPTED.test(text)) {
      refusal = undefined;
      return;
    }
    const code = REFUSED.exec(text)?.[1];
    if (code === undefined) return;
    const kind = kindOf(code);
    if (kind === "token") refusal = code;
  };
  return {
    refusal: () => refusal,
    async fetch(url, init) {
      const response = await real(url, init);
      if (response.status !== 200) return response;
      const text = await response.text();
      note(text);
      const { status, statusText, headers } = response;
      return new Response(text, { status, statusText, headers });
    },
  };
}
