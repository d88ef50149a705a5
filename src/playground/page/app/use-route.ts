import { useCallback, useEffect, useState } from "preact/hooks";
import { formatRoute, parseRoute, type Route } from "./route.ts";

/** The route in the address bar; changing it adds a history entry. */
export function useRoute(): readonly [Route, (route: Route) => void] {
  const [route, setRoute] = useState(() => parseRoute(location.search));
  useEffect(() => {
    const onPop = (): void => setRoute(parseRoute(location.search));
    addEventListener("popstate", onPop);
    return () => removeEventListener("popstate", onPop);
  }, []);
  const go = useCallback((next: Route) => {
    if (formatRoute(next) !== location.search) history.pushState(null, "", formatRoute(next));
    setRoute(next);
  }, []);
  return [route, go];
}
