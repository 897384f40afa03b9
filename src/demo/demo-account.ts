import { saveBrand } from '../codes/brand.ts';
import { v7 as uuidv7 } from 'uuid';
import { createUser, isBlockedSql, User } from '../accounts/users.ts';
import { deleteUser } from '../accounts/deletion.ts';
import { createCode, updateCode } from '../codes/codes.ts';
import { saveDesign } from '../codes/design/stored-design.ts';
import { newLogo } from '../codes/design/stored-logo.ts';
import { pictureOf } from '../codes/proof/prove-design.ts';
import { provenPicture } from '../codes/proof/proofs.ts';
import type { QrCode } from '../codes/qr-code.ts';
import { savePageLogo } from '../codes/share-page.ts';
import { insertStyle } from '../codes/styles/styles.ts';
import type { PlanLimits } from '../limits.ts';
import { dayMs, hourMs } from '../runtime/units.ts';
import { readHorizon } from '../scans/partitions.ts';
import { Scan } from '../scans/scan.ts';
import type { Database } from '../store/database.ts';
import { findWorkspace, isWorkspaceBlockedSql, ownWorkspaceId, Workspace } from '../workspaces/workspace.ts';
import { type DemoCode, brandColor, demoCodes, landingCode } from './demo-codes.ts';
import { dateChanges, nextVersion } from './demo-history.ts';
import { demoDesigns, demoLogo, demoReadsAtMm, toDesign } from './demo-designs.ts';
import { makeDemoScans, type StoredDemoCode, startOfDay } from './demo-scans.ts';

/** The oldest codes are a year old and should stay valid for another year. */
export const demoLifetimeDays = 730;
/** Small enough not to block the event loop for long. */
const scansPerBatch = 500;
const firstScans = 6_000;
const scansPerDay = 25;
/** After the first ones, scans are invented at most this often. */
const topUpEveryMs = 6 * hourMs;
/** The longest time without visits that scans are invented for. */
const maxTopUpMs = 365 * dayMs;
/** An account with more scans than this is created again: its codes are public, and anybody may scan them. */
const maxScans = 200_000;

interface DemoSite {
  baseUrl: string;
  limits: PlanLimits;
}

export interface DemoAccount {
  user: User;
  workspace: Workspace;
  /** The code that the landing page shows. */
  codeId: string;
  shareToken: string;
}

/**
 * The demo account, created at first use and given the scans of the time since the last one. Undefined if an operator
 * has blocked it. Processes that open it at the same time wait for each other.
 */
export async function openDemoAccount(
  db: Database,
  site: DemoSite,
  now: Date,
): Promise<DemoAccount | undefined> {
  const found = await readAccount(db);
  if (found && isCurrent(found, now)) return toAccount(db, found);
  return db.transaction(async (transaction) => {
    await transaction.raw("SELECT pg_advisory_xact_lock(hashtextextended('demo account', 0))");
    let stored = await readAccount(transaction);
    if (stored && stored.scans > maxScans) {
      const user = await User.query(transaction).findById(stored.userId);
      if (user) await deleteUser(transaction, user);
      stored = undefined;
    }
    if (!stored) await createAccount(transaction, site, now);
    else if (!isCurrent(stored, now)) await addScans(transaction, stored, now);
    const current = await readAccount(transaction);
    return current && toAccount(transaction, current);
  });
}

interface StoredAccount {
  userId: string;
  codeId: string;
  shareToken: string;
  scansUntil: Date;
  scans: number;
  isBlocked: boolean;
}

async function readAccount(db: Database): Promise<StoredAccount | undefined> {
  const { rows } = (await db.raw(
    `SELECT demo.user_id AS "userId", code_id AS "codeId", share_token AS "shareToken", scans_until AS "scansUntil",
            ${isBlockedSql('demo.user_id')} OR ${isWorkspaceBlockedSql('demo.user_id')} AS "isBlocked",
            (SELECT coalesce(sum(count), 0)::int FROM scan_counters JOIN qr_codes AS own ON own.id = qr_code_id
             WHERE own.user_id = demo.user_id AND dimension = 'total') AS scans
     FROM demo_account AS demo JOIN qr_codes ON qr_codes.id = code_id`,
  )) as { rows: StoredAccount[] };
  return rows[0];
}

function isCurrent({ scansUntil, scans, isBlocked }: StoredAccount, now: Date): boolean {
  return isBlocked || (now.getTime() - scansUntil.getTime() < topUpEveryMs && scans <= maxScans);
}

async function toAccount(
  db: Database,
  { userId, codeId, shareToken, isBlocked }: StoredAccount,
): Promise<DemoAccount | undefined> {
  const user = isBlocked ? undefined : await User.query(db).findById(userId);
  return user && { user, workspace: await findWorkspace(db, ownWorkspaceId(user)), codeId, shareToken };
}

async function createAccount(transaction: Database, site: DemoSite, now: Date): Promise<void> {
  // No mail can be sent to it (RFC 2606), so nobody can set a password.
  const email = `demo-${uuidv7().slice(-12)}@demo.invalid`;
  const user = await createUser(transaction, { email, passwordHash: null }, now);
  if (!user) throw new Error('The demo account could not be created');
  // All visitors share the limits.
  const workspaceId = ownWorkspaceId(user);
  await Workspace.query(transaction)
    .findById(workspaceId)
    .patch({ plan: 'pro', limits: { formsPerHour: 5_000 } });
  const codes = await createDemoCodes(transaction, user, { ...site, codes: demoCodes }, now);
  const [first] = await createDemoCodes(
    transaction,
    user,
    { ...site, codes: [landingCode(site.baseUrl)] },
    now,
  );
  if (!first) throw new Error('The demo account has no code for the landing page');
  const logo = newLogo(workspaceId, demoLogo(brandColor));
  await insertStyle(
    transaction,
    workspaceId,
    { name: 'Fernweh', design: toDesign(demoDesigns.menu, logo.id), isDefault: false, newLogo: logo },
    now,
  );
  const brand = {
    foregroundColor: brandColor,
    backgroundColor: '#ffffff',
    pageColor: brandColor,
    logo: logo.id,
  };
  await saveBrand(transaction, workspaceId, brand, now);
  await recordScans(transaction, [...codes, first], { count: firstScans, now });
  await transaction('demo_account').insert({ user_id: user.id, code_id: first.id, scans_until: now });
}

interface DemoCodesOptions extends DemoSite {
  codes: DemoCode[];
}

/** Stores codes with their designs, pages and history. */
export async function createDemoCodes(
  db: Database,
  person: User,
  { codes, baseUrl, limits }: DemoCodesOptions,
  now: Date,
): Promise<StoredDemoCode[]> {
  const workspaceId = ownWorkspaceId(person);
  const stored: StoredDemoCode[] = [];
  // Oldest first, so that ids are in the order of creation.
  for (const demo of codes.toSorted((one, other) => other.ageDays - one.ageDays)) {
    const { ageDays, weight, weekend, isFavorite, design, hasPageLogo, former, ...input } = demo;
    const createdAt = new Date(startOfDay(now) - ageDays * dayMs);
    const errorCorrection = design?.hasLogo ? 'H' : 'M';
    const created = await createCode(
      db,
      workspaceId,
      {
        ...input,
        content: former?.content ?? input.content,
        backgroundColor: '#ffffff',
        size: 512,
        errorCorrection,
      },
      { lifetimeDays: demoLifetimeDays, limits, now: createdAt },
    );
    if (isFavorite) await updateCode(db, created, { isFavorite }, createdAt);
    const logo = newLogo(workspaceId, demoLogo(input.foregroundColor));
    if (design) await designCode(db, created, toDesign(design, logo.id), { logo, baseUrl, createdAt });
    if (hasPageLogo) await savePageLogo(db, created, { newLogo: logo, alt: 'Fernweh Coffee' }, createdAt);
    const dated = { codeId: created.id, person };
    await dateChanges(db, { ...dated, at: createdAt });
    if (former) {
      const at = new Date(startOfDay(now) - former.untilDaysAgo * dayMs);
      const fromVersion = await nextVersion(db, created.id);
      await updateCode(db, created, { content: input.content }, at);
      await dateChanges(db, { ...dated, at, fromVersion });
    }
    stored.push({ id: created.id, createdAt, weight, weekend });
  }
  return stored;
}

/** Proven by a test, not here: a proof takes up to a second. */
async function designCode(
  db: Database,
  code: QrCode,
  design: ReturnType<typeof toDesign>,
  { logo, baseUrl, createdAt }: { logo: ReturnType<typeof newLogo>; baseUrl: string; createdAt: Date },
): Promise<void> {
  const { errorCorrection, foregroundColor, backgroundColor } = code;
  const proven = {
    design,
    readsAtMm: demoReadsAtMm,
    proven: provenPicture(pictureOf(code, design, baseUrl)),
    look: { errorCorrection, foregroundColor, backgroundColor },
    errorCorrection,
    newLogo: design.logo === null ? undefined : logo,
  };
  await saveDesign(db, code, proven, createdAt);
}

/** The scans since the last visit, as if there had been visits all the time. Codes are renewed as by these scans. */
async function addScans(transaction: Database, stored: StoredAccount, now: Date): Promise<void> {
  const since = new Date(Math.max(stored.scansUntil.getTime(), now.getTime() - maxTopUpMs));
  const days = (now.getTime() - since.getTime()) / dayMs;
  const expiresAt = new Date(now.getTime() + demoLifetimeDays * dayMs);
  const codes = (await transaction('qr_codes')
    .where({ user_id: stored.userId })
    .update({ expires_at: expiresAt, default_expires_at: expiresAt })
    .returning(['id', 'name', 'created_at as createdAt'])) as { id: string; name: string; createdAt: Date }[];
  const known = new Map([...demoCodes, landingCode('')].map((code) => [code.name, code]));
  const weighted = codes.flatMap(({ id, name, createdAt }) => {
    const demo = known.get(name);
    if (!demo) return [];
    const { weight, weekend } = demo;
    return [{ id, createdAt: createdAt > since ? createdAt : since, weight, weekend }];
  });
  const count = Math.floor(days * scansPerDay);
  if (weighted.length > 0 && count > 0) await recordScans(transaction, weighted, { count, now });
  await transaction('demo_account').update({ scans_until: now });
}

/** In batches: making all of them at once would block the event loop. */
async function recordScans(
  db: Database,
  codes: StoredDemoCode[],
  { count, now }: { count: number; now: Date },
): Promise<void> {
  const horizon = await readHorizon(db);
  for (let done = 0; done < count; done += scansPerBatch) {
    const batch = makeDemoScans(codes, {
      count: Math.min(scansPerBatch, count - done),
      // Other days are busy in each.
      seed: Math.floor(now.getTime() / hourMs) + done,
      now,
    });
    const kept = batch.filter(({ scannedAt }) => !horizon || scannedAt >= horizon);
    if (kept.length > 0) await Scan.record(db, kept);
  }
}
