/** Replaces a secret. No rule matches it, so redacting twice changes nothing. */
export const REDACTED = "[redacted]";
