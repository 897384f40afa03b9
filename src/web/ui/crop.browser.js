// Crops a picture that was chosen for a file input, before it is sent. The input then has the part as a PNG file; the rest
// never leaves the browser. SVG files have no pixels, and are sent as they are.

import { moved, resized, squareIn, wholeOf, zoomed, zoomOf } from './crop-rectangle.browser.js';

/** More than is stored of any picture. */
const maxSide = 1_024;
/** What the server accepts. */
const maxBytes = 1_000_000;
const corners = ['nw', 'ne', 'sw', 'se'];
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** The picture that a cropped file was cut from, and the part of it, to change the choice later. */
const sources = new WeakMap();

for (const area of document.querySelectorAll('.drop[data-crop]')) {
  const input = area.querySelector('input[type="file"]');
  const button = area.querySelector('.crop-button');
  const showButton = () => {
    button.hidden = !/^image\/(?:png|jpeg|webp)$/.test(input.files[0]?.type ?? '');
  };
  input.addEventListener('change', showButton);
  // The browser's back button may bring the file back.
  addEventListener('pageshow', showButton);
  button.addEventListener('click', () => void crop(input, area.dataset.crop === 'square', button));
}

async function crop(input, isSquare, button) {
  const [file] = input.files;
  const source = sources.get(file) ?? { file };
  let bitmap;
  try {
    bitmap = await createImageBitmap(source.file);
  } catch {
    // Not a picture that this browser can read: the server says why.
    button.hidden = true;
    return;
  }
  const chosen = await choosePart(bitmap, { isSquare, part: source.part, opener: button });
  if (!chosen) return bitmap.close();
  const part = chosen.isWhole ? source.file : await cutOut(bitmap, chosen.part, source.file.name);
  bitmap.close();
  if (!chosen.isWhole) sources.set(part, { file: source.file, part: chosen.part });
  const files = new DataTransfer();
  files.items.add(part);
  input.files = files.files;
  for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }));
}

/** As small as the server wants it. */
async function cutOut(bitmap, { x, y, width, height }, name) {
  let scale = Math.min(1, maxSide / Math.max(width, height));
  for (;;) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, x, y, width, height, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob.size <= maxBytes || canvas.width < 64)
      return new File([blob], `${name.replace(/\.\w+$/, '')}.png`, { type: 'image/png' });
    scale *= 0.7;
  }
}

const markup = `
  <form method="dialog" class="crop">
    <h1 id="crop-title">Crop</h1>
    <div class="crop-stage">
      <canvas></canvas>
      <div class="crop-part" tabindex="0" role="group" aria-label="The part that is kept" aria-describedby="crop-keys">
        ${corners.map((corner) => `<span class="crop-corner ${corner}" data-corner="${corner}"></span>`).join('')}
      </div>
    </div>
    <p class="hint" id="crop-keys">Drag the frame or its corners. Arrow keys move it, with Shift they change its size.</p>
    <p class="unseen" aria-live="polite"></p>
    <div class="crop-tools">
      <label class="crop-zoom">Size <input type="range" min="5" max="100" step="1"></label>
      <div class="segments" role="radiogroup" aria-label="Shape">
        <label><input type="radio" name="crop-shape" value="free" checked> Free</label>
        <label><input type="radio" name="crop-shape" value="square"> Square</label>
      </div>
    </div>
    <div class="row">
      <button value="part">Use this part</button>
      <button value="whole" class="quiet">Whole picture</button>
      <button value="" class="ghost">Cancel</button>
    </div>
  </form>`;

/** Undefined if it was canceled. */
function choosePart(bitmap, { isSquare: isFixed, part: former, opener }) {
  const dialog = document.createElement('dialog');
  dialog.className = 'crop-dialog';
  dialog.setAttribute('aria-labelledby', 'crop-title');
  dialog.innerHTML = markup;
  const find = (selector) => dialog.querySelector(selector);
  const [stage, frame, zoom, status] = ['canvas', '.crop-part', '.crop-zoom input', '[aria-live]'].map(find);
  let isSquare = isFixed;
  let part = former ?? wholeOf(bitmap, isSquare);
  find('.segments').hidden = isFixed;
  draw(stage, bitmap);

  function show(next) {
    part = next;
    const percent = (value, whole) => `${(100 * value) / whole}%`;
    frame.style.left = percent(part.x, bitmap.width);
    frame.style.top = percent(part.y, bitmap.height);
    frame.style.width = percent(part.width, bitmap.width);
    frame.style.height = percent(part.height, bitmap.height);
    zoom.value = zoomOf(part, bitmap);
  }

  function tell() {
    status.textContent = `${Math.round(part.width)} by ${Math.round(part.height)} pixels, ${Math.round(part.x)} from the left, ${Math.round(part.y)} from the top`;
  }

  frame.addEventListener('pointerdown', (event) => {
    const { clientX, clientY, pointerId, target } = event;
    const { corner } = target.dataset;
    const start = part;
    const scale = bitmap.width / stage.clientWidth;
    const drag = (at) => {
      const [dx, dy] = [(at.clientX - clientX) * scale, (at.clientY - clientY) * scale];
      show(corner ? resized(start, corner, dx, dy, bitmap, isSquare) : moved(start, dx, dy, bitmap));
    };
    frame.setPointerCapture(pointerId);
    frame.addEventListener('pointermove', drag);
    const end = () => {
      frame.removeEventListener('pointermove', drag);
      tell();
    };
    frame.addEventListener('lostpointercapture', end, { once: true });
  });

  frame.addEventListener('keydown', (event) => {
    const arrow = arrows[event.key];
    if (!arrow) return;
    event.preventDefault();
    const step = Math.max(1, Math.max(bitmap.width, bitmap.height) / 50);
    const [dx, dy] = arrow.map((direction) => direction * step);
    const isSizing = event.shiftKey;
    show(isSizing ? resized(part, 'se', dx, dy, bitmap, isSquare) : moved(part, dx, dy, bitmap));
    tell();
  });

  zoom.addEventListener('input', () => show(zoomed(part, Number(zoom.value), bitmap)));
  zoom.addEventListener('change', tell);
  for (const shape of dialog.querySelectorAll('[name="crop-shape"]'))
    shape.addEventListener('change', () => {
      isSquare = shape.value === 'square';
      if (isSquare) show(squareIn(part));
      tell();
    });

  document.body.append(dialog);
  dialog.showModal();
  show(part);
  frame.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      const answers = { part: { part }, whole: { isWhole: true } };
      dialog.remove();
      opener.focus();
      resolve(answers[dialog.returnValue]);
    });
  });
}

/** Large enough for the screen: the part is cut from the picture itself. */
function draw(canvas, bitmap) {
  const scale = Math.min(1, 1_200 / Math.max(bitmap.width, bitmap.height));
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
}
