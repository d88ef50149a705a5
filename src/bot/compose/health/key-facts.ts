import { type Sealer, SealError } from "../../accounts/seal.ts";
import type { SealedRows, SealedSample } from "../../health/facts.ts";

/** Tries to open a sample of what each key sealed. */
export function sealedRowsOf(sealer: Sealer, samples: readonly SealedSample[]): readonly SealedRows[] {
  return samples.map(({ what, keyId, count, sealed, bind }) => ({
    what,
    keyId,
    count,
    opens: opens(sealer, sealed, bind),
  }));
}

function opens(sealer: Sealer, sealed: string, bind: readonly string[]): SealedRows["opens"] {
  try {
    sealer.open(sealed, bind);
    return "yes";
  } catch (error) {
    if (error instanceof SealError) return error.reason;
    throw error;
  }
}
