/** `npm run test:engines -- … --long`: all rounds of the fault tests, as in the tables of the docs. */
export const isLong = process.env["GANTRY_TEST_LONG"] === "1";
