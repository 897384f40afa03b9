import { choice, closed, uuid, Type } from '../../schema.ts';
import { requireCodes } from '../../codes/find-codes.ts';
import { countTooSmall, fileFormats, maxPrintedCodes } from '../../codes/print/print-codes.ts';
import {
  defaultGrid,
  gridLimits,
  type LabelChoice,
  labelErrors,
  labelOptions,
  namePositions,
  paperNames,
  sheetNames,
} from '../../codes/print/labels.ts';
import { withPublicTitles } from '../prints.ts';
import { formerName } from './former-names.ts';
import { idErrors } from '../../codes/validation.ts';
import { operation } from './operation.ts';

const idBounds = { minItems: 1, maxItems: maxPrintedCodes };
const ids = (description: string) =>
  Type.Array(uuid('Identifier of a QR code.'), { ...idBounds, description });
/** Ids are checked by `idErrors`: thousands of errors at once would block other requests. */
const checkedIds = Type.Unsafe<unknown[]>({ type: 'array', ...idBounds });

const millimeters = (name: 'marginXMm' | 'marginYMm' | 'gapXMm' | 'gapYMm', description: string) => {
  const { min: minimum, max: maximum } = gridLimits[name];
  return Type.Optional(Type.Number({ minimum, maximum, default: defaultGrid[name], description }));
};
const count = (name: 'columns' | 'rows', description: string) => {
  const { min: minimum, max: maximum } = gridLimits[name];
  return Type.Integer({ minimum, maximum, description });
};

const grid = Type.Object(
  {
    paper: choice(paperNames, 'The paper.'),
    columns: count('columns', 'Labels beside each other.'),
    rows: count('rows', 'Labels below each other.'),
    marginXMm: millimeters('marginXMm', 'From the left and right edge of the paper to the labels.'),
    marginYMm: millimeters('marginYMm', 'From the upper and lower edge of the paper to the labels.'),
    gapXMm: millimeters('gapXMm', 'Between labels beside each other.'),
    gapYMm: millimeters('gapYMm', 'Between labels below each other.'),
  },
  { ...closed, description: 'Required with `sheet` `grid`: how the paper is divided evenly.' },
);

export const labelsBody = Type.Object(
  {
    qrCodeIds: ids('The QR codes in the order of their labels. One may occur several times.'),
    sheet: choice(sheetNames, 'The number of an Avery sheet, or `grid` for any other.'),
    grid: Type.Optional(grid),
    start: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 1,
        description:
          'The first label to print on, counted along the rows: the ones before it are used up. At most the number of labels on a sheet.',
      }),
    ),
    name: Type.Optional(
      choice(
        namePositions,
        'Where the title of the code is: its public title, or else its name, unless that is not public (`showsName` of its page). Default `below`, on labels that are less than 20 mm high `beside`.',
      ),
    ),
    ids: formerName(ids(''), 'qrCodeIds'),
  },
  { ...closed, description: 'Labels to print.' },
);

export const filesBody = Type.Object(
  {
    qrCodeIds: ids('The QR codes.'),
    format: choice(fileFormats, 'The format of the pictures.'),
    ids: formerName(ids(''), 'qrCodeIds'),
  },
  { ...closed, description: 'Pictures to download.' },
);

const exampleIds = ['01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11'];

export const printOperations = [
  operation({
    id: 'printQrCodeLabels',
    method: 'post',
    path: '/qrcodes/labels',
    scope: 'read',
    summary: 'Print labels',
    description:
      'Returns a PDF with a label for each of up to 1,000 QR codes, with their share links. Print it at 100 % of its size. Changes nothing, and counts as one request.',
    body: labelsBody,
    checkedBody: Type.Object({ ...labelsBody.properties, qrCodeIds: checkedIds }, closed),
    bodyExample: { qrCodeIds: exampleIds, sheet: 'L7160', start: 4 },
    success: {
      status: 200,
      description: 'The sheets, one per page.',
      file: { type: 'application/pdf', name: 'labels.pdf' },
      optionalHeaders: ['Qrelay-Warning'],
    },
    async handle({ workspaceId, caller, body, warn, sentName }, { db, prints }) {
      const given = await body(async (fields, invalidFields) => [
        ...idErrors('qrCodeIds', fields.qrCodeIds),
        // The labels of a grid with invalid fields have no size.
        ...([...invalidFields].some((field) => field.startsWith('grid'))
          ? []
          : labelErrors(fields as Partial<LabelChoice>)),
      ]);
      const options = labelOptions(given);
      const load = async () => {
        const codes = await prints.picturesOf(
          await requireCodes(db, workspaceId, given.qrCodeIds, sentName('qrCodeIds')),
        );
        const tooSmall = countTooSmall(codes, options);
        if (tooSmall > 0)
          warn([`${tooSmall} of ${codes.length} codes are too small on this label. Use larger labels.`]);
        return withPublicTitles(codes);
      };
      return prints.labels(caller, load, options);
    },
  }),

  operation({
    id: 'downloadQrCodeFiles',
    method: 'post',
    path: '/qrcodes/files',
    scope: 'read',
    summary: 'Download pictures',
    description:
      'Returns a ZIP archive with a picture of each of up to 1,000 QR codes, and `manifest.csv`, which lists the files with the name, type, category, share link and id of their codes. Changes nothing, and counts as one request.',
    body: filesBody,
    checkedBody: Type.Object({ ...filesBody.properties, qrCodeIds: checkedIds }, closed),
    bodyExample: { qrCodeIds: exampleIds, format: 'svg' },
    success: {
      status: 200,
      description: 'The archive.',
      file: { type: 'application/zip', name: 'qr-codes.zip' },
    },
    async handle({ workspaceId, caller, body, sentName }, { db, prints }) {
      const given = await body(async (fields) => idErrors('qrCodeIds', fields.qrCodeIds));
      const load = async () => {
        const codes = await requireCodes(db, workspaceId, given.qrCodeIds, sentName('qrCodeIds'));
        return prints.picturesOf([...new Map(codes.map((code) => [code.id, code])).values()]);
      };
      return prints.files(caller, load, given.format);
    },
  }),
];
