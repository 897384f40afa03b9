import type { CodeContent } from '../../codes/content/code-content.ts';

/** Every text of the share pages, in one language. */
export interface Translation {
  /** For the `lang` attribute. */
  lang: string;
  kinds: Record<CodeContent['kind'], string>;

  call: string;
  writeMessage: string;
  writeEmail: string;
  openInMaps: string;
  showOnMap: string;
  openLink: string;
  saveContact: string;
  copyPassword: string;
  copyText: string;
  copied: string;
  /** Shown when the browser does not let a page copy: the text is selected instead. */
  marked: string;
  tryAgain: string;
  reportAbuse: string;

  copyTo: string;
  subject: string;
  message: string;

  networkName: string;
  security: string;
  userName: string;
  password: string;
  openNetwork: string;
  hiddenNetwork: string;
  joinCode: string;
  joinWithAnother: string;
  joinWithThis: string;

  phone: string;
  email: string;
  website: string;
  address: string;
  birthday: string;
  note: string;
  labels: Record<'home' | 'work' | 'mobile' | 'fax', string>;

  notFound: Notice;
  expired: Notice;
  blocked: Notice;
  /** The owner has deleted the file that the code opens. */
  fileRemoved: Notice;
  method: Notice;
  unavailable: Notice;
}

interface Notice {
  title: string;
  text: string;
}
