// The part of a picture that is kept when it is cropped: { x, y, width, height } in pixels of the picture.

/** Smaller parts cannot be seen in a code. */
const leastSide = 16;

const clamp = (value, least, most) => Math.min(Math.max(value, least), Math.max(least, most));

/** The whole picture, or the square in its middle. */
export function wholeOf(picture, isSquare) {
  const side = Math.min(picture.width, picture.height);
  const [width, height] = isSquare ? [side, side] : [picture.width, picture.height];
  return { x: (picture.width - width) / 2, y: (picture.height - height) / 2, width, height };
}

/** The largest square inside of it. */
export function squareIn({ x, y, width, height }) {
  const side = Math.min(width, height);
  return { x: x + (width - side) / 2, y: y + (height - side) / 2, width: side, height: side };
}

export function moved(part, dx, dy, picture) {
  return {
    ...part,
    x: clamp(part.x + dx, 0, picture.width - part.width),
    y: clamp(part.y + dy, 0, picture.height - part.height),
  };
}

/** Moves one corner; the opposite one stays. `corner` has the letters `n` or `s`, and `w` or `e`. */
export function resized(part, corner, dx, dy, picture, isSquare) {
  const [isWest, isNorth] = [corner.includes('w'), corner.includes('n')];
  const [right, bottom] = [part.x + part.width, part.y + part.height];
  const most = {
    width: isWest ? right : picture.width - part.x,
    height: isNorth ? bottom : picture.height - part.y,
  };
  const least = Math.min(leastSide, most.width, most.height);
  let width = clamp(part.width + (isWest ? -dx : dx), least, most.width);
  let height = clamp(part.height + (isNorth ? -dy : dy), least, most.height);
  if (isSquare) width = height = Math.min(Math.max(width, height), most.width, most.height);
  return { x: isWest ? right - width : part.x, y: isNorth ? bottom - height : part.y, width, height };
}

/** Its size in percent of the largest part of the same shape. */
export function zoomOf({ width, height }, picture) {
  return 100 * Math.max(width / picture.width, height / picture.height);
}

/** In another size around the same center, as far as the picture reaches. */
export function zoomed(part, percent, picture) {
  const scale = percent / zoomOf(part, picture);
  const [width, height] = [part.width * scale, part.height * scale];
  const centered = {
    x: part.x + (part.width - width) / 2,
    y: part.y + (part.height - height) / 2,
    width,
    height,
  };
  return moved(centered, 0, 0, picture);
}
