export type Answered = { readonly status: number; readonly body: Record<string, unknown> };

/** Performs an action like the page: as dana, unless the body names somebody else. */
export async function actOnPage(url: string, action: string, { headers = {}, ...body }: ActionBody): Promise<Answered> {
  const response = await fetch(`${url}/playground/do/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ as: "dana", ...body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // every answer is an object
}

type ActionBody = { readonly headers?: Record<string, string>; readonly [name: string]: unknown };
