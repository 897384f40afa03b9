import type { FactorChange, MailTexts } from '../mail-texts.ts';
import { de as notices } from '../notice-languages/de.ts';

const factorChanges: Record<FactorChange, string> = {
  'app-on': 'Für Ihr Konto wurde eine Authentifizierungs-App eingerichtet.',
  'app-off': 'Die Authentifizierungs-App Ihres Kontos wurde abgeschaltet.',
  'passkey-added': 'Ihrem Konto wurde ein Passkey hinzugefügt. Mit ihm kann man sich ohne Passwort anmelden.',
  'passkey-removed': 'Ein Passkey Ihres Kontos wurde entfernt.',
  'recovery-codes':
    'Für Ihr Konto wurden neue Wiederherstellungscodes erstellt. Die früheren gelten nicht mehr.',
};

export const de: MailTexts = {
  notices,
  sentBy: (site) => `Gesendet von Qrelay auf ${site}`,
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
  test: () => ({
    subject: 'Test-E-Mail von Qrelay',
    paragraphs: ['Diese E-Mail zeigt, dass Qrelay E-Mails senden kann.'],
    notes: [],
  }),
};
