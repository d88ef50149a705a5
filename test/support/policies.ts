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
