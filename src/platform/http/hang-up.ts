/** Whether the other side closed the connection: before its answer, or in the middle of it. */
export function isHangUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["ECONNRESET", "EPIPE"].includes(String(error.code));
}
