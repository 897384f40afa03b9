import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import type { Scene } from '../design/scene.ts';
import type { Picture } from '../image/draw.ts';

export type { Gradient, Paint, Path } from '../design/scene.ts';

/** What is printed: the picture of a code in its design, in modules. */
export type Drawing = Scene;

export function drawCode(picture: Picture): Promise<Drawing> {
  return composeScene(picture, picture.design ?? defaultDesign);
}
