import type { ComponentChildren } from 'preact';
import { type ControlProps, FieldNotes, attributes } from './controls.tsx';

interface Choice {
  value: string;
  text: string;
  /** A drawing of the choice. */
  picture?: ComponentChildren;
}

interface ChoicesProps extends ControlProps {
  choices: Choice[];
  /** Pictures to click, or words side by side. */
  look?: 'tiles' | 'segments';
}

/** Radio buttons of which everything is in view, instead of the options of a list. */
export function Choices({ choices, look = 'tiles', ...props }: ChoicesProps) {
  const { name, value, ...group } = attributes(props);
  return (
    <fieldset class="field choices" {...group}>
      <legend>{props.label}</legend>
      <div class={look}>
        {choices.map((choice) => (
          <label key={choice.value}>
            <input type="radio" name={name} value={choice.value} checked={choice.value === value} />
            {choice.picture}
            <span>{choice.text}</span>
          </label>
        ))}
      </div>
      <FieldNotes {...props} />
    </fieldset>
  );
}

interface RangeProps extends ControlProps {
  min: number;
  max: number;
  step?: number;
  /** Follows the number, such as "%". */
  unit?: string;
}

/** A number that is chosen by eye. range.browser.js keeps the number beside it up to date. */
export function Range({ min, max, step = 1, unit = '', ...props }: RangeProps) {
  const input = attributes(props);
  return (
    <div class="field range">
      <label for={input.id}>{props.label}</label>
      <input {...input} type="range" min={min} max={max} step={step} />
      <output for={input.id} data-unit={unit}>
        {input.value}
        {unit}
      </output>
      <FieldNotes {...props} />
    </div>
  );
}
