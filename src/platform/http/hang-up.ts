const CODES: readonly string[] = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"];

/** Whether the other side closed the connection: before its answer, or in the middle of it. */
export function isHangUp(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Undici has no code for an answer that breaks off between its chunks.
  return ("code" in error && CODES.includes(String(error.code))) || error.message.includes("(Invalid EOF state)");
}
