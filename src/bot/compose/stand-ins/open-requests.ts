type Fetch = (request: Request) => Promise<Response>;

/** Lists unanswered requests by method and path, which contain no secrets. */
export function openRequests(answer: Fetch): { readonly answer: Fetch; readonly list: () => readonly string[] } {
  const open = new Map<symbol, string>();
  return {
    async answer(request) {
      const key = Symbol("request");
      open.set(key, `${request.method} ${new URL(request.url).pathname}`);
      try {
        return await answer(request);
      } finally {
        open.delete(key);
      }
    },
    list: () => [...open.values()],
  };
}
