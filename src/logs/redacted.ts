/** What stands where a secret stood. None of the rules matches it, so that redacting twice changes nothing. */
export const REDACTED = "[redacted]";
