import type { ComponentChildren } from 'preact';
import type { EyeBallShape, EyeFrameShape, FrameShape, ModuleShape } from '../../../codes/design/design.ts';
import type { Path } from '../../../codes/design/scene.ts';
import { eyeBallsPath, eyeFramesPath, modulesPath } from '../../../codes/design/symbol-shapes.ts';

/** Modules with and without neighbors, in which each shape shows what it is. */
const cells = ['11011', '10010', '01101', '11001', '10110'].map((row) =>
  [...row].map((cell) => cell === '1'),
);
/** Modules per side of an eye. */
const eye = 7;

interface PictureProps {
  /** Modules per side. */
  side: number;
  /** How much of each side is cut off. */
  inset?: number;
  children: ComponentChildren;
}

/** Decorative: the text below it says the same. */
function Picture({ side, inset = -0.25, children }: PictureProps) {
  return (
    <svg viewBox={`${inset} ${inset} ${side - 2 * inset} ${side - 2 * inset}`} aria-hidden="true">
      {children}
    </svg>
  );
}

/** Drawn by the same code as the pictures of codes, once for each shape. */
const modulesData = onceForEach((shape: ModuleShape) => dataOf(modulesPath(cells, shape)));
const eyeFrameData = onceForEach((shape: EyeFrameShape) => dataOf(eyeFramesPath(eye, shape)));
const eyeBallData = onceForEach((shape: EyeBallShape) => dataOf(eyeBallsPath(eye, shape)));

export function ModulesPicture({ shape }: { shape: ModuleShape }) {
  return (
    <Picture side={cells.length}>
      <path d={modulesData(shape)} />
    </Picture>
  );
}

export function EyeFramePicture({ shape }: { shape: EyeFrameShape }) {
  return (
    <Picture side={eye}>
      <path d={eyeFrameData(shape)} />
    </Picture>
  );
}

export function EyeBallPicture({ shape }: { shape: EyeBallShape }) {
  return (
    <Picture side={eye} inset={1.5}>
      <path d={eyeBallData(shape)} />
    </Picture>
  );
}

function onceForEach<Shape extends string>(draw: (shape: Shape) => string): (shape: Shape) => string {
  const drawn = new Map<Shape, string>();
  return (shape) => {
    const data = drawn.get(shape) ?? draw(shape);
    drawn.set(shape, data);
    return data;
  };
}

function dataOf(path: Path): string {
  const rounded = (value: string | number) =>
    typeof value === 'number' ? String(Math.round(value * 100) / 100) : value;
  return path.map((segment) => segment.map(rounded).join(' ')).join('');
}

/** A code in the middle of each frame. */
const code = 'M9 6h2v2H9zM13 6h2v2h-2zM9 10h2v2H9zM13 10h2v2h-2zM11 8h2v2h-2z';

const frames: Record<FrameShape, ComponentChildren> = {
  none: <path d={code} transform="translate(-12 -6) scale(2)" />,
  band: (
    <>
      <path d="M5 2h14a1 1 0 0 1 1 1v18a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zm.5 1.5v11.5h13V3.5z" />
      <path d={code} />
    </>
  ),
  bubble: (
    <>
      <path d="M5 2h14v14H5zm1.2 1.2v11.6h11.6V3.2z" opacity="0.35" />
      <path d={code} />
      <path d="m12 16 2 2h5v4H5v-4h5z" />
    </>
  ),
  card: (
    <>
      <path d="M6 1h12a2 2 0 0 1 2 2v18a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2zm0 3v10.5h12V4z" />
      <path d={code} />
    </>
  ),
};

export function FramePicture({ shape }: { shape: FrameShape }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      {frames[shape]}
    </svg>
  );
}
