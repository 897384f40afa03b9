import {
  type FactorChange,
  linesOf,
  type MailedName,
  type MailTexts,
  type MembershipTexts,
  type NoticeTexts,
  oneOrMany,
} from '../mail-texts.ts';

const number = new Intl.NumberFormat('fr');
const daysText = (days: number) => (days === 1 ? '1 jour' : `${days} jours`);
const scansText = (scans: number) => (scans === 1 ? '1 scan' : `${number.format(scans)} scans`);
const andMore = (count: number) => `et ${count} ${count === 1 ? 'autre' : 'autres'}`;

const notices: NoticeTexts = {
  unsubscribe: 'Ne plus recevoir ce type d’e-mail',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `«\u00a0${name}\u00a0» expire dans ${daysText(days)}`,
      (count) => `${count} codes QR expirent bientôt`,
    ),
    paragraphs: ['Une fois expiré, un code QR ne fonctionne plus, même là où il est imprimé.'],
    items: linesOf(codes, ({ name, days }) => `${name}\u00a0: il reste moins de ${daysText(days)}`, andMore),
    action: { label: 'Prolonger les codes', url: page },
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«\u00a0${name}\u00a0» a été scanné pour la première fois`,
      (count) => `${count} codes QR ont été scannés pour la première fois`,
    ),
    paragraphs: ['Vos codes QR sont utilisés. Scannés pour la première fois\u00a0:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Voir les scans', url: page },
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} la semaine dernière`,
    paragraphs: [
      `Du ${from} au ${to}, vos codes QR ont eu ${scansText(scans)}, contre ${number.format(before)} la semaine précédente.`,
      ...(top.length > 0 ? ['Les plus scannés\u00a0:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}\u00a0: ${number.format(own)}`),
    action: { label: 'Voir les scans', url: page },
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Aucun scan de «\u00a0${name}\u00a0» aujourd’hui`,
      (count) => `Aucun scan de ${count} codes QR aujourd’hui`,
    ),
    paragraphs: [
      'D’habitude, ces codes QR sont scannés tous les jours. Vérifiez qu’ils sont toujours en place.',
    ],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}\u00a0: d’habitude ${number.format(usual)} par jour, aucun aujourd’hui`,
      andMore,
    ),
    action: { label: 'Ouvrir vos codes', url: page },
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«\u00a0${name}\u00a0» mène à une page qui ne fonctionne pas`,
      (count) => `${count} codes QR mènent à des pages qui ne fonctionnent pas`,
    ),
    paragraphs: ['Les personnes qui scannent ces codes QR ne voient pas ce que vous voulez leur montrer.'],
    items: linesOf(
      codes,
      ({ name, url, failure }) =>
        `${name}\u00a0: ${url} ${failure === 'gone' ? 'répond que la page n’existe pas' : 'était injoignable deux jours de suite'}`,
      andMore,
    ),
    action: { label: 'Modifier l’adresse', url: page },
    notes: ['Les codes imprimés restent les mêmes lorsque vous changez leur destination.'],
  }),
};

const roleNames = { owner: 'propriétaire', editor: 'éditeur', viewer: 'lecteur' };
const named = (workspace: MailedName) =>
  workspace === undefined ? 'un espace de travail' : `l’espace de travail «\u00a0${workspace}\u00a0»`;

const membership: MembershipTexts = {
  invited: ({ workspace, role, inviter, days }, link) => ({
    subject: 'Vous êtes invité à rejoindre un espace de travail',
    paragraphs: [
      `${inviter ?? 'Quelqu’un'} vous invite à rejoindre ${named(workspace)}, où plusieurs personnes gèrent ensemble des codes QR. Votre rôle\u00a0: ${roleNames[role]}.`,
    ],
    action: { label: 'Voir l’invitation', url: link },
    notes: [
      `Le lien fonctionne pendant ${daysText(days)}, et seulement pour cette adresse e-mail.`,
      'Si vous ne connaissez pas l’expéditeur, ignorez cet e-mail.',
    ],
  }),
  joined: ({ workspace, email, role }, page) => ({
    subject: 'Votre espace de travail a un nouveau membre',
    paragraphs: [
      `${email ?? 'Quelqu’un'} a accepté une invitation à rejoindre ${named(workspace)}. Son rôle\u00a0: ${roleNames[role]}.`,
    ],
    action: { label: 'Voir les membres', url: page },
  }),
  removed: (workspace) => ({
    subject: 'Vous n’êtes plus membre d’un espace de travail',
    paragraphs: [
      `Un propriétaire vous a retiré de son espace de travail${workspace === undefined ? '' : ` «\u00a0${workspace}\u00a0»`}. Vous ne pouvez plus l’ouvrir.`,
    ],
    notes: ['Votre compte et vos autres espaces de travail restent inchangés.'],
  }),
  deleted: (workspace) => ({
    subject: 'Un espace de travail a été supprimé',
    paragraphs: [
      `Un propriétaire a supprimé ${named(workspace)}, dont vous étiez membre. Ses codes, clés API et webhooks ne fonctionnent plus.`,
    ],
  }),
  roleChanged: ({ workspace, role }, page) => ({
    subject: 'Votre rôle dans un espace de travail a changé',
    paragraphs: [
      `Un propriétaire a modifié votre rôle dans ${named(workspace)}. Vous êtes maintenant\u00a0: ${roleNames[role]}.`,
    ],
    action: { label: 'Voir les membres', url: page },
  }),
};

const factorChanges: Record<FactorChange, string> = {
  'app-on': 'Une application d’authentification a été configurée pour votre compte.',
  'app-off': 'L’application d’authentification de votre compte a été désactivée.',
  'passkey-added':
    'Une clé d’accès a été ajoutée à votre compte. Elle permet de se connecter sans mot de passe.',
  'passkey-removed': 'Une clé d’accès a été supprimée de votre compte.',
  'recovery-codes':
    'De nouveaux codes de récupération ont été créés pour votre compte. Les précédents ne fonctionnent plus.',
  'identity-added':
    'Votre compte peut désormais être ouvert avec un compte du fournisseur d’identité, sans mot de passe.',
  'identity-removed': 'Votre compte ne peut plus être ouvert avec un compte du fournisseur d’identité.',
};

export const fr: MailTexts = {
  notices,
  membership,
  sentBy: (name, site) => `Envoyé par ${name} sur ${site}`,
  questions: (contact) => `Des questions\u00a0? ${contact}`,
  passwordReset: (link) => ({
    subject: 'Choisir un nouveau mot de passe',
    paragraphs: ['Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte.'],
    action: { label: 'Choisir un nouveau mot de passe', url: link },
    notes: [
      'Le lien fonctionne une seule fois, pendant une heure. Toutes les autres sessions du compte seront alors fermées.',
      'Si ce n’était pas vous, ignorez cet e-mail. Votre mot de passe reste inchangé.',
    ],
  }),
  signInLink: (link) => ({
    subject: 'Se connecter à votre compte',
    paragraphs: ['Quelqu’un, sans doute vous, a demandé un lien pour se connecter à votre compte.'],
    action: { label: 'Se connecter', url: link },
    notes: [
      'Le lien fonctionne une seule fois, pendant une heure.',
      'Si ce n’était pas vous, ignorez cet e-mail. Sans le lien, personne ne peut se connecter.',
    ],
  }),
  signUp: (link) => ({
    subject: 'Terminer votre inscription',
    paragraphs: [
      'Quelqu’un, sans doute vous, souhaite s’inscrire avec cette adresse e-mail. Ouvrez le lien pour choisir un mot de passe.',
    ],
    action: { label: 'Choisir un mot de passe', url: link },
    notes: [
      'Le lien fonctionne pendant 24 heures.',
      'Si ce n’était pas vous, ignorez cet e-mail. Aucun compte n’est créé.',
    ],
  }),
  alreadySignedUp: (signInPage, resetPage) => ({
    subject: 'Vous avez déjà un compte',
    paragraphs: [
      'Quelqu’un, sans doute vous, a voulu s’inscrire avec cette adresse e-mail. Elle a déjà un compte.',
    ],
    action: { label: 'Se connecter', url: signInPage },
    notes: [
      `Si vous ne connaissez plus votre mot de passe, choisissez-en un nouveau : ${resetPage}`,
      'Si ce n’était pas vous, il n’y a rien à faire. La personne n’a pas appris que vous avez un compte.',
    ],
  }),
  passwordChanged: (resetPage) => ({
    subject: 'Votre mot de passe a été modifié',
    paragraphs: [
      'Le mot de passe de votre compte a été modifié, et toutes les autres sessions ont été fermées.',
    ],
    action: { label: 'Ce n’était pas moi', url: resetPage },
    notes: ['Si c’était vous, il n’y a rien à faire.'],
  }),
  confirmEmail: (email, link) => ({
    subject: 'Confirmer votre adresse e-mail',
    paragraphs: [`Veuillez confirmer que ${email} est l’adresse de votre compte.`],
    action: { label: 'Confirmer cette adresse', url: link },
    notes: [
      'Le lien fonctionne pendant 24 heures.',
      'Si vous n’avez pas de compte ici, ignorez cet e-mail. L’adresse ne sera alors pas confirmée.',
    ],
  }),
  emailChanged: (newEmail) => ({
    subject: 'L’adresse e-mail de votre compte a été modifiée',
    paragraphs: [
      `Votre compte a maintenant l’adresse ${newEmail}. Les e-mails à son sujet n’arrivent plus à cette adresse-ci.`,
    ],
    notes: ['Si ce n’était pas vous, contactez l’exploitant du service.'],
  }),
  webhookDisabled: ({ name, isGone, link }) => ({
    subject: `Votre webhook «\u00a0${name}\u00a0» a été désactivé`,
    paragraphs: [
      isGone
        ? `Le programme appelé par votre webhook «\u00a0${name}\u00a0» a répondu 410 (Gone). Le webhook a donc été désactivé.`
        : `Tous les appels de votre webhook «\u00a0${name}\u00a0» ont échoué pendant trois jours. Il a donc été désactivé.`,
    ],
    action: { label: 'Ouvrir le webhook', url: link },
    notes: [
      'Rien n’est envoyé tant que vous ne le réactivez pas. Vous pourrez ensuite faire envoyer ce qui s’est passé entre-temps.',
    ],
  }),
  secondFactorChanged: (change, page) => ({
    subject: 'La connexion à votre compte a été modifiée',
    paragraphs: [factorChanges[change]],
    action: { label: 'Ouvrir la page de sécurité', url: page },
    notes: [
      'Si c’était vous, il n’y a rien à faire.',
      'Sinon, choisissez un nouveau mot de passe et supprimez les applications et clés d’accès que vous ne connaissez pas.',
    ],
  }),
  exportReady: (page) => ({
    subject: 'Votre export est prêt',
    paragraphs: ['L’export de vos données que vous avez demandé est prêt.'],
    action: { label: 'Télécharger l’export', url: page },
    notes: ['Il est conservé pendant sept jours. Vous devez vous connecter pour le télécharger.'],
  }),
  exportFailed: (page) => ({
    subject: 'Votre export n’a pas pu être créé',
    paragraphs: ['L’export de vos données que vous avez demandé n’a pas pu être créé.'],
    action: { label: 'Ouvrir la page du compte', url: page },
    notes: ['Vous y trouverez la raison et ce que vous pouvez faire.'],
  }),
  test: (name) => ({
    subject: `E-mail de test de ${name}`,
    paragraphs: [`Cet e-mail montre que ${name} peut envoyer des e-mails.`],
  }),
};
