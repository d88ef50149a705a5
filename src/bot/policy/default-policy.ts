import type { Policy } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";

/** Used without a policy file. `npm run policy -- print` shows it as a starting point. */
export const defaultPolicyText = `# Who may do what, where, and who has to approve it. The first rule that matches decides. Without a match, the request
# is refused. Bots and deactivated people are always refused.
rules:
  - name: read access
    who: members
    does: read
    then: allow

  - name: routine changes
    who: members
    does: routine
    then: allow

  - name: disruptive changes
    who: members
    does: [disruptive, destructive]
    then:
      approve:
        votes: 1
        from: channel-members
        expires: 1h
`;

export const defaultPolicy: Policy = readPolicy(defaultPolicyText, "the built-in policy");
