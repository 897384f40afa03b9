import type { ComponentChildren } from 'preact';

/** A page about what all operations have in common. */
export interface Guide {
  title: string;
  lead: string;
  sections: GuideSection[];
}

export interface GuideSection {
  /** The anchor. No other page of the docs has the same: `/docs#<id>` leads to it. */
  id: string;
  title: string;
  body: ComponentChildren;
}
