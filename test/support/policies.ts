/** Everything that changes takes two votes of other members of the channel. */
export const quorum = `
rules:
  - name: look
    who: [members]
    does: [read]
    then: allow
  - name: two eyes more
    who: [members]
    does: [routine, disruptive, destructive]
    then: { approve: { votes: 2, from: [channel-members], expires: 30m } }
`;

/** Everything that changes takes a vote of somebody on call. */
export const onCallDecides = `
rules:
  - name: look
    who: [members]
    does: [read]
    then: allow
  - name: on call decides
    who: [members]
    does: [routine, disruptive, destructive]
    then: { approve: { from: [S0ONCALL], expires: 30m } }
`;

/** Members ask, any other member of the channel approves. */
export const othersApprove = `
rules:
  - { name: look, who: [members], does: [read], then: allow }
  - name: a second pair of eyes
    who: [members]
    does: [routine, disruptive, destructive]
    then: { approve: { from: [channel-members], expires: 1h } }
`;

/** Restarts by a user group, scaling in one channel with two approvals, and no deletion. */
export const byGroup = `
rules:
  - { name: everybody looks, who: [members], does: [read], then: allow }
  - { name: on call restarts, who: [S0ONCALL], does: [restartService], then: allow }
  - name: ops scales in its channel
    who: [members]
    where: [C0OPS]
    does: [updateService]
    then: { approve: { votes: 2, from: [S0ONCALL], reason: required, expires: 20m } }
  - name: nobody deletes
    who: [everyone]
    does: [deleteService]
    then: refuse
    say: "Services are deleted by the platform team; write to them."
`;
