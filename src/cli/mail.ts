import { Command, Option } from 'commander';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../config.ts';
import { SetupError } from '../errors.ts';
import { languages, type Language } from '../http/preferred-language.ts';
import { composeMail } from '../mail/compose-mail.ts';
import { createMailer, MailError } from '../mail/mailer.ts';
import { parseEmail } from './accounts.ts';
import { printMessage } from './output.ts';

export function mailCommand(): Command {
  const mail = new Command('mail').description('Emails');
  mail
    .command('test')
    .description(
      'Send a test email at once, without the queue. Needs SMTP_URL and MAIL_FROM, and no database',
    )
    .addOption(new Option('--to <email>', 'the recipient').argParser(parseEmail).makeOptionMandatory())
    .addOption(new Option('--language <language>', 'of the email').choices(languages).default('en'))
    .action(async ({ to, language }: { to: string; language: Language }) => {
      const config = loadConfig(process.env);
      if (!config.mail)
        throw new SetupError('SMTP_URL is not set. Set SMTP_URL and MAIL_FROM to send emails.');
      const composed = composeMail(language, config, (texts) => texts.test(config.brand.name));
      try {
        await createMailer(config.mail).send({ id: uuidv7(), to, ...composed });
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        throw new SetupError(`The mail was not sent: ${error.message}. ${error.remedy}`);
      }
      printMessage(`The mail server accepted an email from ${config.mail.from} to ${to}. See if it arrives.`);
    });
  return mail;
}
