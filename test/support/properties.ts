import fc from "fast-check";
import { cases, seed } from "./full-run.ts";

// Before each file of tests: a property needs no settings of its own. One that fails names its seed.
fc.configureGlobal({ numRuns: cases, seed });
