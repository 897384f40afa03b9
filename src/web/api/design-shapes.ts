import type { Static } from 'typebox';
import { Type } from '../../schema.ts';
import {
  type Design,
  defaultDesign,
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
} from '../../codes/design/design.ts';
import { choice, closed, color, label, nullable, timestamp } from './schema-parts.ts';

const fields = {
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
    ...label('Text in the frame, which requires one. Latin letters and common Chinese characters.'),
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

type Fields = typeof fields;

/** What may be sent, with the defaults of what is not. */
export const designInputs = Object.fromEntries(
  Object.entries(fields).map(([name, schema]) => [
    name,
    { ...schema, default: defaultDesign[name as keyof Design] },
  ]),
) as unknown as Fields;

/** To change single fields. */
export const designChanges = fields;

/** What is not sent gets its default: the body replaces the whole design. */
export const designBody = Type.Partial(Type.Object(designInputs), {
  ...closed,
  description: 'The design. Omitted fields get their default.',
});

const logo = nullable(
  Type.String({ description: 'Identifies the logo: the same for the same picture. Null without one.' }),
);

/** Of a design that has it, or of a style. */
export const logoShape = Type.Object({ logo }, { description: 'A logo in the middle of QR codes.' });
export const logoExample = { logo: '3xO0VbPzNnCkQYcH7rV0Zr2q4y4k3V5g0Ck5mZ8sW1E' };

/** What is shown of a design, of a code or of a style. */
export const designProperties = {
  ...fields,
  // Without the bounds of requests: some clients count UTF-16 units.
  frameText: nullable(Type.String({ description: 'Text in the frame, or null.' })),
  logo,
};

export const designShape = Type.Object(
  {
    ...designProperties,
    readsAtMm: nullable(
      Type.Integer({
        minimum: 1,
        description:
          'The smallest width of the printed picture, in millimeters, at which a phone reads it from 15 cm: 15, 20 or 30. Null without a design, or if the picture has changed since the design was proven, for example with the address of the service.',
      }),
    ),
    proof: nullable(
      Type.String({ description: 'The same as a sentence, with a change that would help, if there is one.' }),
    ),
    updatedAt: nullable(timestamp('When the design was saved. Null without a design.')),
  },
  { description: 'The design of a QR code.' },
);

export const designExample: Static<typeof designShape> = {
  ...defaultDesign,
  moduleShape: 'rounded',
  eyeFrameShape: 'rounded',
  frame: 'band',
  frameText: 'Scan me',
  readsAtMm: 15,
  proof: 'Reads at 15 mm from 15 cm.',
  updatedAt: '2026-12-01T08:00:00.000Z',
};
