import { useEffect, useState } from "preact/hooks";

/** Milliseconds since 1970, renewed often enough for "today" and "3 minutes ago". */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
