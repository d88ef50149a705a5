/** A policy under which full members do everything at once, for tests that are about something else. */
export const openPolicy = `
rules:
  - name: everything
    who: [members]
    does: [read, routine, disruptive, destructive]
    then: allow
`;
