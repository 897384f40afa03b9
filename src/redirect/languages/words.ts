import type { CodeContent } from '../../codes/content/code-content.ts';

/** Everything that the share pages say, in one language. */
export interface Words {
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
  /** Where the browser does not let a page copy: the text is marked, the rest is up to the reader. */
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
  method: Notice;
  unavailable: Notice;
}

interface Notice {
  title: string;
  text: string;
}
