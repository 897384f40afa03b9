// The live region through which screen readers learn what a script has changed. One per page.

let region;

/** Call it when the page loads: screen readers ignore the first text of a region that has just been added. */
export function prepareAnnouncements() {
  if (region) return;
  region = document.createElement('p');
  region.className = 'unseen';
  region.id = 'announcement';
  region.setAttribute('role', 'status');
  document.body.append(region);
}

export function announce(text) {
  prepareAnnouncements();
  region.textContent = text;
}
