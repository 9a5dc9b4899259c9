import type { Locator } from "playwright-core";

/** Whether it is to be seen within five seconds: a page may be drawn after what was done to it. */
export const comes = (place: Locator): Promise<boolean> =>
  place
    .first()
    .waitFor({ timeout: 5000 })
    .then(
      () => true,
      () => false,
    );
