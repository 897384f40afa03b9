/** Types for tests of the script. */
interface Size {
  width: number;
  height: number;
}

interface Part extends Size {
  x: number;
  y: number;
}

export function wholeOf(picture: Size, isSquare: boolean): Part;
export function squareIn(part: Part): Part;
export function moved(part: Part, dx: number, dy: number, picture: Size): Part;
export function resized(
  part: Part,
  corner: string,
  dx: number,
  dy: number,
  picture: Size,
  isSquare: boolean,
): Part;
export function zoomOf(part: Size, picture: Size): number;
export function zoomed(part: Part, percent: number, picture: Size): Part;
