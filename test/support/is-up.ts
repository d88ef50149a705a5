const ANSWER_WITHIN_MS = 1_000;

/**
 * Whether an address answers now, and with a success. Over a connection of its own: one that is kept stays with whoever
 * answered first, which behind an address of a cluster may be nobody of ours.
 */
export async function isUp(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(url, { signal, headers: { connection: "close" } });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
