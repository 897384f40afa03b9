/**
 * Every trigger of the database. They run whichever process, release or person changes a row, also in a cascade, and
 * in the same transaction. Migrations create them; a test compares this list with a migrated database.
 */
interface Trigger {
  table: string;
  name: string;
  /** Unless it has the name of the trigger. */
  function?: string;
  /** What holds because of it. */
  guarantees: string;
}

export const triggers: readonly Trigger[] = [
  {
    table: 'qr_codes',
    name: 'list_deleted_codes',
    guarantees:
      'A deleted code is in deleted_codes, from which workers purge its scans and counters in steps.',
  },
  {
    table: 'qr_codes',
    name: 'note_created_codes',
    guarantees: 'Each webhook endpoint that selects a created code has a code.created event.',
  },
  {
    table: 'qr_codes',
    name: 'note_updated_codes',
    guarantees:
      'Each webhook endpoint that selects a changed code has a code.updated event. Renewal by a scan is no change.',
  },
  {
    table: 'qr_codes',
    name: 'note_deleted_codes',
    guarantees: 'Each webhook endpoint that selects a deleted code has a code.deleted event.',
  },
  {
    table: 'qr_codes',
    name: 'count_created_codes',
    guarantees:
      'The rows of code_counts add up to the codes of an account, which its limit is compared with.',
  },
  {
    table: 'qr_codes',
    name: 'count_deleted_codes',
    guarantees: 'As count_created_codes, for codes that are deleted.',
  },
  {
    table: 'qr_codes',
    name: 'delete_unused_file',
    guarantees: 'A code that no longer leads to its file has none, and one that is no contact has no photo.',
  },
  {
    table: 'qr_codes',
    name: 'lock_logos_of_code',
    guarantees: 'Logos are locked in the order of their ids before a cascade reaches them: no deadlocks.',
  },
  {
    table: 'code_files',
    name: 'list_deleted_file',
    guarantees: 'A deleted file is in deleted_files, from which workers purge its bytes in steps.',
  },
  {
    table: 'code_files',
    name: 'list_replaced_file',
    function: 'list_deleted_file',
    guarantees: 'As list_deleted_file, for a file that another one replaces.',
  },
  {
    table: 'designs',
    name: 'delete_unused_logo',
    guarantees: 'A logo that no design, style or page uses any more is deleted.',
  },
  {
    table: 'styles',
    name: 'delete_unused_logo',
    guarantees: 'As on designs.',
  },
  {
    table: 'page_logos',
    name: 'delete_unused_page_logo',
    guarantees: 'As on designs.',
  },
  {
    table: 'scan_counters',
    name: 'note_city',
    guarantees:
      'scan_cities has the last day of each city of a code, so that analytics need not read all counters.',
  },
  {
    table: 'webhook_endpoints',
    name: 'note_deleted_endpoints',
    guarantees: 'A deleted endpoint is in deleted_endpoints, from which workers purge its log in steps.',
  },
  {
    table: 'users',
    name: 'purge_code_counts',
    guarantees:
      'A deleted account leaves no code_counts, also not those of the codes that its cascade deletes.',
  },
];
