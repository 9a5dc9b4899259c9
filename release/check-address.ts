// node release/check-address.ts [--warn]: refuses to publish (with --warn: warns before packing) while nobody knows where the repository is.
import { readAddress } from "./read-address.ts";

const isKnown = readAddress() !== "";
const isWarning = process.argv.includes("--warn");
if (!isKnown)
  console.error(
    isWarning
      ? "warning: release/address.json has no repository, so this package can't be published. Its README has relative links."
      : 'error: release/address.json has no repository. Write its address there, as in { "repository": "https://github.com/owner/name" }, then publish.',
  );
process.exit(isKnown || isWarning ? 0 : 1);
