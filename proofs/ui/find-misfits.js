// Runs in a page: what holds more than it shows, and which chips cover each other, by the browser's own measures.
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const words = ({ innerText }) => innerText.replaceAll(/\s+/g, " ").slice(0, 60);
  const chips = all(".badge, .chip");
  const holdsMore = ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1;
  const reachesOut = (chip) => {
    const place = chip.closest("td, th, .cut, .panel, main");
    const [inner, outer] = [chip.getBoundingClientRect(), place.getBoundingClientRect()];
    return inner.right > outer.right + 1 || inner.left < outer.left - 1;
  };
  const clipped = [
    ...[...chips, ...all("td, th, button, a.button, .panel, .message, .empty")].filter(holdsMore),
    ...chips.filter(reachesOut),
  ];
  // what is scrolled out of a box lies over what stands below that box, unseen
  const boxOf = (chip) => chip.closest(".virtual-table, .rollout-list, dialog, main");
  const boxes = chips.map((chip) => ({ chip, in: boxOf(chip), at: chip.getBoundingClientRect() }));
  const covers = (one, other) =>
    one.in === other.in &&
    Math.min(one.at.right, other.at.right) - Math.max(one.at.left, other.at.left) > 1 &&
    Math.min(one.at.bottom, other.at.bottom) - Math.max(one.at.top, other.at.top) > 1;
  const overlaps = boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter((other) => covers(one, other))
      .map((other) => `${words(one.chip)} | ${words(other.chip)}`),
  );
  return { clipped: clipped.map(words), overlaps };
})();
