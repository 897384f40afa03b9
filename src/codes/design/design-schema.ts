import { choice, closed, color, label, nullable, Type } from '../../schema.ts';
import {
  defaultDesign,
  type Design,
  eyeBallShapes,
  eyeFrameShapes,
  frameShapes,
  gradientShapes,
  maxFrameTextLength,
  maxLogoSize,
  maxQuietZone,
  minFramedQuietZone,
  minLogoSize,
  minQuietZone,
  moduleShapes,
} from './design.ts';

/** The fields of a design, except its logo, which is uploaded. */
export const designFields = {
  moduleShape: choice(moduleShapes, 'Shape of the modules.'),
  eyeFrameShape: choice(eyeFrameShapes, 'Shape of the frames of the three eyes.'),
  eyeBallShape: choice(eyeBallShapes, 'Shape of the balls in the three eyes.'),
  eyeFrameColor: nullable(color('Color of the frames of the eyes. Null: like the modules.')),
  eyeBallColor: nullable(color('Color of the balls of the eyes. Null: like the modules.')),
  gradientColor: nullable(
    color(
      'Second color of a gradient that starts with the `foregroundColor` of the code. Null: no gradient.',
    ),
  ),
  gradientShape: choice(gradientShapes, 'Whether the gradient follows a line or starts in the center.'),
  gradientAngle: Type.Integer({
    minimum: 0,
    maximum: 359,
    description: 'Direction of a linear gradient in degrees, clockwise: 0 is from left to right.',
  }),
  transparentBackground: Type.Boolean({
    description: 'Whether what is behind the picture shows, instead of the `backgroundColor` of the code.',
  }),
  quietZone: Type.Integer({
    minimum: minFramedQuietZone,
    maximum: maxQuietZone,
    description: `Free margin around the symbol in modules. At least ${minQuietZone} without a frame.`,
  }),
  frame: choice(frameShapes, 'Frame around the code, with a text.'),
  frameText: nullable({
    ...label('Text in the frame, which requires one. In any script that the fonts of the service have.'),
    maxLength: maxFrameTextLength,
  }),
  frameColor: nullable(color('Color of the frame. Null: the `foregroundColor` of the code.')),
  frameTextColor: nullable(color('Color of the text. Null: the `backgroundColor` of the code.')),
  logoSize: Type.Integer({
    minimum: minLogoSize,
    maximum: maxLogoSize,
    description: 'The longer side of the logo, in percent of the width of the symbol.',
  }),
} satisfies Record<Exclude<keyof Design, 'logo'>, object>;

/** What may be sent, with the defaults of what is not. */
export const designInputs = Object.fromEntries(
  Object.entries(designFields).map(([name, schema]) => [
    name,
    { ...schema, default: defaultDesign[name as keyof Design] },
  ]),
) as unknown as typeof designFields;

/** What is not sent gets its default: the body replaces the whole design. */
export const designBody = Type.Partial(Type.Object(designInputs), {
  ...closed,
  description: 'The design. Omitted fields get their default.',
});
