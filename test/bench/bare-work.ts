/**
 * What has to be done for `/gantry list`, with plain fetch: the two reads and the message; without a time limit, a check,
 * or a word of its own.
 */

export type Works = { readonly apiUrl: string; readonly slackUrl: string };

export async function listed(kinds: readonly string[], { apiUrl }: Works): Promise<readonly unknown[]> {
  const headers = { username: "bench", authorization: "token bench-api-token" };
  return Promise.all(
    kinds.map(async (kind) => (await fetch(`${apiUrl}/v1/regions/beijing1/${kind}`, { headers })).json()),
  );
}

type Typed = { readonly text: string; readonly response_url: string };

export async function answerList({ text, response_url }: Typed, works: Works): Promise<void> {
  const [services, jobs] = await listed(text === "list services" ? ["services"] : ["services", "jobs"], works);
  await fetch(response_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: JSON.stringify([services, jobs]).slice(0, 3000) }),
  });
}
