/** In tests a person is taken to speak: no test has a terminal. Children that need it start `person-cli.ts`. */
import { takeWordAsGiven } from "../../src/run/word.ts";

takeWordAsGiven();
