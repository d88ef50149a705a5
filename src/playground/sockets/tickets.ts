import { randomUUID } from "node:crypto";
import { sockets } from "../rules/limits.ts";
import { refuse } from "../rules/refusal.ts";

/** Addresses of new connections, each good for one. */
export type Tickets = {
  readonly make: () => string;
  /** Throws Refused unless the ticket is known, fresh and unused. */
  readonly use: (ticket: string) => void;
};

export function createTickets(now: () => number): Tickets {
  const madeMs = new Map<string, number>();
  return {
    make() {
      const ticket = randomUUID();
      madeMs.set(ticket, now());
      return ticket;
    },
    use(ticket) {
      const made = madeMs.get(ticket);
      madeMs.delete(ticket);
      if (made === undefined) refuse("invalid_ticket", "socket.ticket", "the ticket is unknown, or was used before");
      const age = now() - made;
      if (age > sockets.ticket.ms) refuse("invalid_ticket", "socket.ticket", `the ticket is ${age} ms old`);
    },
  };
}
