import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { printReport } from './doctor-report.ts';

export function backupCommand(): Command {
  const backup = new Command('backup').description('Backups of this installation');
  backup
    .command('check')
    .description(
      'Check what a backup needs, and after a restore whether the data is complete: WAL archive, root secret, spool, queue, counters. Changes nothing. Exit code 1 if there is a failure, 0 if there are only warnings',
    )
    .option('--json', 'print one JSON document: {"ok": true, "findings": [...]}')
    .action(async ({ json }: { json?: boolean }) => {
      const { runBackupChecks } = await import('../doctor/checks.ts');
      printReport(await runBackupChecks(readConfig(process.env)), json);
    });
  return backup;
}
