import type { StateField } from '../../../history/code-state.ts';

/** Fields that go together: a type without its content, or colors without the design that was proven with them. */
const together: Partial<Record<StateField, string>> = {
  type: 'opens',
  content: 'opens',
  file: 'opens',
  foregroundColor: 'look',
  backgroundColor: 'look',
  errorCorrection: 'look',
  design: 'look',
};

/** What decides about a field: the field itself, or a group of them. */
export const choiceOf = (field: StateField): string => together[field] ?? field;

/** The name of the radio buttons. */
export const choiceField = (choice: string) => `choice-${choice}`;
