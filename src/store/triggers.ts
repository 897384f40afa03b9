const recorded = {
  'record_created (record_change)': 'The history has an entry for each row that is created.',
  'record_changed (record_change)':
    'The history has an entry for each change, with the values before and after it.',
  'record_deleted (record_change)': 'The history has an entry for each row that is deleted.',
};

/**
 * Every trigger of the database, by table, with what holds because of it. They run whichever process, release or person
 * changes a row, also in a cascade, and in the same transaction. Migrations create them; a test compares this list with a
 * migrated database. A name in parentheses is that of the function, where it is not the name of the trigger.
 */
export const triggers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  qr_codes: {
    ...recorded,
    'record_moved (record_change)':
      'The history has an entry for each code that goes to the trash or is restored.',
    list_deleted_codes:
      'A deleted code is in deleted_codes, from which workers purge its scans and counters in steps.',
    note_created_codes: 'Each webhook endpoint that selects a created code has a code.created event.',
    note_updated_codes:
      'Each webhook endpoint that selects a changed code has a code.updated event. Renewal by a scan is no change.',
    note_deleted_codes: 'Each webhook endpoint that selects a deleted code has a code.deleted event.',
    count_created_codes:
      'The rows of code_counts add up to the codes of a workspace, which its limit is compared with.',
    count_deleted_codes: 'As count_created_codes, for codes that are deleted.',
    note_trashed_code:
      'As note_deleted_codes and count_deleted_codes for a code that goes to the trash, as note_created_codes and count_created_codes for one that is restored.',
    delete_unused_file:
      'A code that no longer leads to its file has none, and one that is no contact has no photo. It is in removed_files then.',
    lock_logos_of_code:
      'Logos are locked in the order of their ids before a cascade reaches them: no deadlocks.',
  },
  trashed_codes: {
    'record_deleted (record_change)':
      'A code that is deleted from the trash has an entry, and its others lose their contents.',
    delete_trashed_code:
      'A code whose row here is deleted is deleted, too, unless it was restored: no code is left without an owner.',
  },
  code_files: {
    ...recorded,
    list_deleted_file: 'A deleted file is in deleted_files, from which workers purge its bytes in steps.',
    keep_replaced_file:
      'A file that another one replaces is in removed_files, so that a version can be restored.',
  },
  removed_files: {
    'list_purged_file (list_deleted_file)':
      'As list_deleted_file, for a removed file that cannot be restored any more.',
    'list_superseded_file (list_deleted_file)':
      'As list_deleted_file, for a removed file when another one of its code is removed.',
  },
  designs: {
    ...recorded,
    delete_unused_logo:
      'A logo that a design no longer has is in replaced_logos; one that nothing uses any more is deleted.',
  },
  removed_designs: {
    delete_unused_logo: 'As on designs.',
  },
  styles: {
    ...recorded,
    delete_unused_logo: 'As on designs.',
  },
  page_logos: {
    ...recorded,
    delete_unused_page_logo: 'As on designs.',
  },
  replaced_logos: {
    delete_unused_replaced_logo:
      'As on designs, when the versions that had the logo can no longer be restored.',
  },
  logos: {
    keep_brand_logo: 'The logo of a brand is not deleted while the brand has it, whatever else used it.',
  },
  brands: {
    ...recorded,
    delete_unused_brand_logo: 'As on designs, for the logo that a brand no longer has.',
  },
  scan_counters: {
    note_city:
      'scan_cities has the last day of each city of a code, so that analytics need not read all counters.',
  },
  webhook_endpoints: {
    ...recorded,
    note_deleted_endpoints:
      'A deleted endpoint is in deleted_endpoints, from which workers purge its log in steps.',
  },
  api_keys: recorded,
  users: {
    list_deleted_person:
      'A person whose account is deleted is in deleted_people, until a job has erased their address from the history.',
    create_workspace_of_account: 'Each account has a workspace with its id, of which it is the owner.',
    copy_plan_to_workspace:
      'The workspace of an account has its plan, also if the previous release changes it.',
    keep_shared_workspace:
      'The previous release deletes no account with which others would lose a workspace: its transaction fails.',
  },
  blocks: {
    block_workspaces_of_account:
      'With an account, the workspaces are blocked of which it is the only owner, whichever release blocks it.',
    unblock_workspaces_of_account: 'And with it, they are unblocked.',
  },
  workspaces: {
    ...recorded,
    purge_changes: 'A deleted workspace leaves no history.',
    refuse_former_slug:
      'No workspace gets a slug that another one had before, as long as it leads to that one.',
    refuse_reserved_slug:
      'No workspace gets a reserved slug, whoever signs up, founds it or changes it, unless an operator assigns it.',
    reserve_deleted_slug: 'The slug of a deleted workspace stays reserved for 90 days.',
    copy_plan_to_account: 'The previous release finds the plan of a workspace at its account.',
    purge_code_counts:
      'A deleted workspace leaves no code_counts, also not those of the codes that its cascade deletes.',
  },
  invitations: {
    ...recorded,
    erase_invitee: 'The history has the address of an invited person only while the invitation is stored.',
  },
  workspace_members: {
    ...recorded,
    delete_empty_workspace: 'A workspace without a member is deleted, with everything in it.',
    'revoke_invitations_of_removed (revoke_invitations_of_member)':
      'An owner who leaves or is removed leaves no invitation behind that works.',
    'revoke_invitations_of_demoted (revoke_invitations_of_member)':
      'As revoke_invitations_of_removed, for an owner who becomes an editor or viewer.',
  },
};
