// Shows what was dropped on or chosen for a file input. The input covers the area, so that dropping works without scripts.

for (const area of document.querySelectorAll('.drop')) {
  const input = area.querySelector('input[type="file"]');
  const name = area.querySelector('strong');
  for (const type of ['dragenter', 'dragover', 'dragleave', 'drop'])
    area.addEventListener(type, (event) => {
      event.preventDefault();
      area.classList.toggle('over', type === 'dragenter' || type === 'dragover');
      if (type !== 'drop' || event.dataTransfer.files.length === 0) return;
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
  const [icon, ask] = [area.querySelector('.icon'), name.textContent];
  input.addEventListener('change', () => {
    const [file] = input.files;
    name.textContent = file?.name ?? ask;
    area.classList.toggle('chosen', file !== undefined);
    area.querySelector('canvas')?.replaceWith(icon);
    if (file) void showPicture(area, file);
  });
}

/** Drawn on a canvas: a page may not load pictures from `blob:` addresses. SVG files have no bitmap and get none. */
async function showPicture(area, file) {
  if (!/^image\/(?:png|jpeg|webp|gif)$/.test(file.type)) return;
  try {
    const bitmap = await createImageBitmap(file, { resizeHeight: 160, resizeQuality: 'medium' });
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    area.querySelector('canvas, .icon')?.replaceWith(canvas);
  } catch {
    // Not a picture that this browser can read: the server says why.
  }
}
