import { distanceCm } from '../../../codes/proof/proof.ts';
import { Icon } from '../../ui/icons.tsx';
import type { Reading } from './reading.ts';

const scenes = [
  ['code', 'Code'],
  ['paper', 'Paper'],
  ['phone', 'Screen'],
  ['tent', 'Tent'],
] as const;

export interface StageProps {
  /** The address of the picture. */
  preview: string;
  /** Undefined if the form has values that are no design. */
  reading: Reading | undefined;
  /** The smallest printed width at which the saved design was read, if it still is what is shown. */
  readsAtMm?: number | null;
  /** Says what is drawn, if it is not the code itself. */
  note?: string;
  /** Whether saving it tries to read it. */
  isTried?: boolean;
}

/** The picture where it will be seen. The radio buttons work without scripts; undo and redo need history.browser.js. */
export function Stage({ preview, reading, readsAtMm = null, note, isTried = true }: StageProps) {
  return (
    <>
      <section class="card stage" aria-label="Preview">
        <div class="scene">
          <div class="surface">
            <img
              id="design-preview"
              src={preview}
              width="240"
              height="240"
              alt="Preview of the QR code in this design"
            />
          </div>
        </div>
        <div class="stage-bar">
          <fieldset class="segments">
            <legend class="unseen">How it looks on</legend>
            {scenes.map(([scene, text]) => (
              <label key={scene}>
                <input type="radio" name="scene" value={scene} checked={scene === 'code'} />
                {text}
              </label>
            ))}
          </fieldset>
          <div class="history" hidden>
            <button type="button" class="ghost icon-only" id="undo" aria-label="Undo" title="Undo (Ctrl+Z)">
              <Icon name="undo-2" />
            </button>
            <button
              type="button"
              class="ghost icon-only"
              id="redo"
              aria-label="Redo"
              title="Redo (Ctrl+Shift+Z)"
            >
              <Icon name="redo-2" />
            </button>
          </div>
        </div>
        {note && <p class="hint">{note}</p>}
      </section>
      <section class="card reading" aria-label="How well it can be read">
        {reading && <Meters reading={reading} readsAtMm={readsAtMm} isTried={isTried} />}
        <div id="design-warnings" class="warnings" role="status">
          {reading?.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </div>
      </section>
    </>
  );
}

/** Below the first, a design is refused; with the second, it is read in bad light as well; more than the last helps nobody. */
const [minContrast, goodContrast, maxContrast] = [3, 7, 10];
/** What the highest error correction repairs, in percent. */
const maxRepairs = 30;
const goodRepairs = 10;

function Meters({
  reading: { contrast, repairs },
  readsAtMm,
  isTried,
}: Required<Pick<StageProps, 'readsAtMm' | 'isTried'>> & { reading: Reading }) {
  return (
    <>
      <div class="meters">
        <label for="contrast">Contrast</label>
        <output id="contrast-text">{contrast} : 1</output>
        <meter
          id="contrast"
          min={1}
          max={maxContrast}
          low={minContrast}
          high={goodContrast}
          optimum={maxContrast}
          value={contrast}
        />
        <label for="repairs">Damage it survives</label>
        <output id="repairs-text">{repairs ?? 0}%</output>
        <meter
          id="repairs"
          min={0}
          max={maxRepairs}
          low={3}
          high={goodRepairs}
          optimum={maxRepairs}
          value={repairs ?? 0}
        />
      </div>
      {isTried && (
        <p
          id="proof"
          class="proof"
          data-unsaved="Two QR code readers try it as a phone would see it when you save."
        >
          {readsAtMm === null
            ? 'Two QR code readers try it as a phone would see it when you save. What they cannot read is not saved.'
            : `Proven: phones read it at ${readsAtMm} mm wide from ${distanceCm} cm away.`}
        </p>
      )}
    </>
  );
}
