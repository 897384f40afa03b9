import type { ComponentChildren } from 'preact';
import type { ShownOperation } from '../api/reference.ts';

export interface DocsPage {
  path: string;
  title: string;
  /** Its heading in the navigation. */
  group: 'Get started' | 'Concepts' | 'Resources';
  lead: string;
  sections: DocsSection[];
}

export interface DocsSection {
  id: string;
  title: string;
  /** Where the section is an operation. */
  operation?: ShownOperation;
  body: ComponentChildren;
}
