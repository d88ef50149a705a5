import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";
import type { Installation, NewInstallation } from "../../workflow/access/installation.ts";

/** `refreshToken` is there when the app rotates its tokens. */
const Tokens = z.object({ botToken: z.string(), refreshToken: z.string().optional() });
export type Tokens = z.infer<typeof Tokens>;

type Owner = Pick<NewInstallation, "id" | "isOrgWide">;

export function sealTokens(sealer: Sealer, owner: Owner, tokens: Tokens): string {
  return sealer.seal(JSON.stringify(Tokens.parse(tokens)), boundTo(owner));
}

/** Throws a `SealError` when the key is gone, or the row was made for another workspace. */
export function openTokens(sealer: Sealer, installation: Pick<Installation, "sealedTokens"> & Owner): Tokens {
  return Tokens.parse(JSON.parse(sealer.open(installation.sealedTokens, boundTo(installation))));
}

function boundTo({ id, isOrgWide }: Owner): string[] {
  return ["installation", isOrgWide ? "organization" : "workspace", id];
}
