import {
  type FactorChange,
  linesOf,
  type MailedName,
  type MailTexts,
  type MembershipTexts,
  type NoticeTexts,
  oneOrMany,
} from '../mail-texts.ts';

const number = new Intl.NumberFormat('de');
const daysText = (days: number) => (days === 1 ? '1 Tag' : `${days} Tagen`);
const daysLeft = (days: number) => (days === 1 ? '1 Tag' : `${days} Tage`);
const scansText = (scans: number) => (scans === 1 ? '1 Scan' : `${number.format(scans)} Scans`);
const andMore = (count: number) => `und ${count} weitere`;

const notices: NoticeTexts = {
  unsubscribe: 'Solche E-Mails abbestellen',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `„${name}“ läuft in ${daysText(days)} ab`,
      (count) => `${count} QR-Codes laufen bald ab`,
    ),
    paragraphs: ['Ein abgelaufener QR-Code funktioniert nicht mehr, auch nicht dort, wo er gedruckt ist.'],
    items: linesOf(codes, ({ name, days }) => `${name}: noch weniger als ${daysLeft(days)}`, andMore),
    action: { label: 'Codes verlängern', url: page },
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `„${name}“ wurde zum ersten Mal gescannt`,
      (count) => `${count} QR-Codes wurden zum ersten Mal gescannt`,
    ),
    paragraphs: ['Ihre QR-Codes sind im Einsatz. Zum ersten Mal gescannt wurden:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Scans ansehen', url: page },
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} in der letzten Woche`,
    paragraphs: [
      `Vom ${from} bis ${to} hatten Ihre QR-Codes ${scansText(scans)}. In der Woche davor waren es ${number.format(before)}.`,
      ...(top.length > 0 ? ['Am häufigsten gescannt:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'Scans ansehen', url: page },
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Heute keine Scans von „${name}“`,
      (count) => `Heute keine Scans von ${count} QR-Codes`,
    ),
    paragraphs: [
      'Diese QR-Codes werden sonst jeden Tag gescannt. Prüfen Sie, ob sie noch an ihrem Platz sind.',
    ],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}: sonst ${number.format(usual)} am Tag, heute keiner`,
      andMore,
    ),
    action: { label: 'Codes öffnen', url: page },
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `„${name}“ führt zu einer Seite, die nicht funktioniert`,
      (count) => `${count} QR-Codes führen zu Seiten, die nicht funktionieren`,
    ),
    paragraphs: ['Wer diese QR-Codes scannt, sieht nicht, was Sie zeigen wollen.'],
    items: linesOf(
      codes,
      ({ name, url, failure }) =>
        `${name}: ${url} ${failure === 'gone' ? 'meldet, dass es die Seite nicht gibt' : 'war an zwei Tagen nacheinander nicht erreichbar'}`,
      andMore,
    ),
    action: { label: 'Adresse ändern', url: page },
    notes: ['Gedruckte Codes bleiben gleich, wenn Sie ändern, wohin sie führen.'],
  }),
};

const roleNames = { owner: 'Inhaber', editor: 'Bearbeiter', viewer: 'Betrachter' };
const named = (workspace: MailedName) => (workspace === undefined ? '' : ` „${workspace}“`);

const membership: MembershipTexts = {
  invited: ({ workspace, role, inviter, days }, link) => ({
    subject: 'Sie sind in einen Arbeitsbereich eingeladen',
    paragraphs: [
      `${inviter ?? 'Jemand'} lädt Sie in den Arbeitsbereich${named(workspace)} ein, in dem mehrere Personen gemeinsam an QR-Codes arbeiten. Ihre Rolle: ${roleNames[role]}.`,
    ],
    action: { label: 'Einladung ansehen', url: link },
    notes: [
      `Der Link funktioniert ${days === 1 ? 'einen Tag' : `${days} Tage`} lang und nur für diese E-Mail-Adresse.`,
      'Wenn Sie den Absender nicht kennen, ignorieren Sie diese E-Mail.',
    ],
  }),
  joined: ({ workspace, email, role }, page) => ({
    subject: 'Ihr Arbeitsbereich hat ein neues Mitglied',
    paragraphs: [
      `${email ?? 'Jemand'} hat eine Einladung in den Arbeitsbereich${named(workspace)} angenommen. Rolle: ${roleNames[role]}.`,
    ],
    action: { label: 'Mitglieder ansehen', url: page },
  }),
  removed: (workspace) => ({
    subject: 'Sie sind nicht mehr Mitglied eines Arbeitsbereichs',
    paragraphs: [
      `Ein Inhaber hat Sie aus dem Arbeitsbereich${named(workspace)} entfernt. Sie können ihn nicht mehr öffnen.`,
    ],
    notes: ['Ihr Konto und Ihre anderen Arbeitsbereiche bleiben, wie sie sind.'],
  }),
  deleted: (workspace) => ({
    subject: 'Ein Arbeitsbereich wurde gelöscht',
    paragraphs: [
      `Ein Inhaber hat den Arbeitsbereich${named(workspace)} gelöscht, in dem Sie Mitglied waren. Seine Codes, API-Schlüssel und Webhooks funktionieren nicht mehr.`,
    ],
  }),
  roleChanged: ({ workspace, role }, page) => ({
    subject: 'Ihre Rolle in einem Arbeitsbereich wurde geändert',
    paragraphs: [
      `Ein Inhaber hat Ihre Rolle im Arbeitsbereich${named(workspace)} geändert. Sie ist jetzt: ${roleNames[role]}.`,
    ],
    action: { label: 'Mitglieder ansehen', url: page },
  }),
};

const factorChanges: Record<FactorChange, string> = {
  'app-on': 'Für Ihr Konto wurde eine Authentifizierungs-App eingerichtet.',
  'app-off': 'Die Authentifizierungs-App Ihres Kontos wurde abgeschaltet.',
  'passkey-added': 'Ihrem Konto wurde ein Passkey hinzugefügt. Mit ihm kann man sich ohne Passwort anmelden.',
  'passkey-removed': 'Ein Passkey Ihres Kontos wurde entfernt.',
  'recovery-codes':
    'Für Ihr Konto wurden neue Wiederherstellungscodes erstellt. Die früheren gelten nicht mehr.',
  'identity-added': 'Ihr Konto lässt sich jetzt mit einem Konto des Anmeldedienstes öffnen, ohne Passwort.',
  'identity-removed': 'Ihr Konto lässt sich nicht mehr mit einem Konto des Anmeldedienstes öffnen.',
};

export const de: MailTexts = {
  notices,
  membership,
  sentBy: (name, site) => `Gesendet von ${name} auf ${site}`,
  questions: (contact) => `Fragen? ${contact}`,
  passwordReset: (link) => ({
    subject: 'Neues Passwort wählen',
    paragraphs: ['Jemand, vermutlich Sie selbst, hat ein neues Passwort für Ihr Konto angefordert.'],
    action: { label: 'Neues Passwort wählen', url: link },
    notes: [
      'Der Link funktioniert einmal, eine Stunde lang. Alle anderen Sitzungen des Kontos werden dabei abgemeldet.',
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt, wie es ist.',
    ],
  }),
  signInLink: (link) => ({
    subject: 'Bei Ihrem Konto anmelden',
    paragraphs: ['Jemand, vermutlich Sie selbst, hat einen Link zum Anmelden bei Ihrem Konto angefordert.'],
    action: { label: 'Anmelden', url: link },
    notes: [
      'Der Link funktioniert einmal, eine Stunde lang.',
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ohne den Link kann sich niemand anmelden.',
    ],
  }),
  signUp: (link) => ({
    subject: 'Registrierung abschließen',
    paragraphs: [
      'Jemand, vermutlich Sie selbst, möchte sich mit dieser E-Mail-Adresse registrieren. Öffnen Sie den Link, um ein Passwort zu wählen.',
    ],
    action: { label: 'Passwort wählen', url: link },
    notes: [
      'Der Link funktioniert 24 Stunden lang.',
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es wird kein Konto angelegt.',
    ],
  }),
  alreadySignedUp: (signInPage, resetPage) => ({
    subject: 'Sie haben bereits ein Konto',
    paragraphs: [
      'Jemand, vermutlich Sie selbst, wollte sich mit dieser E-Mail-Adresse registrieren. Sie hat bereits ein Konto.',
    ],
    action: { label: 'Anmelden', url: signInPage },
    notes: [
      `Wenn Sie Ihr Passwort nicht mehr wissen, wählen Sie ein neues: ${resetPage}`,
      'Wenn Sie das nicht waren, ist nichts zu tun. Wer es auch war, hat nicht erfahren, dass Sie ein Konto haben.',
    ],
  }),
  passwordChanged: (resetPage) => ({
    subject: 'Ihr Passwort wurde geändert',
    paragraphs: ['Das Passwort Ihres Kontos wurde geändert, und alle anderen Sitzungen wurden abgemeldet.'],
    action: { label: 'Das war ich nicht', url: resetPage },
    notes: ['Wenn Sie das waren, ist nichts zu tun.'],
  }),
  confirmEmail: (email, link) => ({
    subject: 'E-Mail-Adresse bestätigen',
    paragraphs: [`Bitte bestätigen Sie, dass ${email} die Adresse Ihres Kontos ist.`],
    action: { label: 'Adresse bestätigen', url: link },
    notes: [
      'Der Link funktioniert 24 Stunden lang.',
      'Wenn Sie hier kein Konto haben, ignorieren Sie diese E-Mail. Die Adresse wird dann nicht bestätigt.',
    ],
  }),
  emailChanged: (newEmail) => ({
    subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
    paragraphs: [
      `Ihr Konto hat jetzt die Adresse ${newEmail}. E-Mails dazu kommen nicht mehr an diese Adresse.`,
    ],
    notes: ['Wenn Sie das nicht waren, wenden Sie sich an den Betreiber des Dienstes.'],
  }),
  webhookDisabled: ({ name, isGone, link }) => ({
    subject: `Ihr Webhook „${name}“ wurde deaktiviert`,
    paragraphs: [
      isGone
        ? `Das Programm, das Ihr Webhook „${name}“ aufruft, hat mit 410 (Gone) geantwortet. Der Webhook wurde daher deaktiviert.`
        : `Alle Aufrufe Ihres Webhooks „${name}“ sind drei Tage lang fehlgeschlagen. Er wurde daher deaktiviert.`,
    ],
    action: { label: 'Webhook öffnen', url: link },
    notes: [
      'Bis Sie ihn wieder aktivieren, wird nichts gesendet. Was inzwischen geschieht, können Sie danach noch senden lassen.',
    ],
  }),
  secondFactorChanged: (change, page) => ({
    subject: 'Die Anmeldung bei Ihrem Konto wurde geändert',
    paragraphs: [factorChanges[change]],
    action: { label: 'Sicherheitsseite öffnen', url: page },
    notes: [
      'Wenn Sie das waren, ist nichts zu tun.',
      'Wenn nicht, wählen Sie ein neues Passwort und entfernen Sie Apps und Passkeys, die Sie nicht kennen.',
    ],
  }),
  exportReady: (page) => ({
    subject: 'Ihr Export ist fertig',
    paragraphs: ['Der Export Ihrer Daten, den Sie angefordert haben, ist fertig.'],
    action: { label: 'Export herunterladen', url: page },
    notes: ['Er wird sieben Tage lang aufbewahrt. Zum Herunterladen müssen Sie sich anmelden.'],
  }),
  exportFailed: (page) => ({
    subject: 'Ihr Export konnte nicht erstellt werden',
    paragraphs: ['Der Export Ihrer Daten, den Sie angefordert haben, konnte nicht erstellt werden.'],
    action: { label: 'Kontoseite öffnen', url: page },
    notes: ['Dort steht, woran es liegt und was Sie tun können.'],
  }),
  test: (name) => ({
    subject: `Test-E-Mail von ${name}`,
    paragraphs: [`Diese E-Mail zeigt, dass ${name} E-Mails senden kann.`],
  }),
};
