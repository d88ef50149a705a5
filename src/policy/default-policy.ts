import type { Policy } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";

/** Used without a policy file. `npm run policy -- print` shows it as a starting point. */
export const defaultPolicyText = `# Who may do what, where, and whose approval it takes. The first rule that matches decides; where none matches,
# the answer is no. Bots and deactivated people may never do anything.
rules:
  - name: full members read
    who: members
    does: read
    then: allow

  - name: full members do what hurts nobody
    who: members
    does: routine
    then: allow

  - name: one more full member for what interrupts or deletes
    who: members
    does: [disruptive, destructive]
    then:
      approve:
        votes: 1
        from: channel-members
        expires: 1h
`;

export const defaultPolicy: Policy = readPolicy(defaultPolicyText, "the built-in policy");
