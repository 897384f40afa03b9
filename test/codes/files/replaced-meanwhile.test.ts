import { expect } from 'chai';
import { findCode } from '../../../src/codes/codes.ts';
import { fileAddress } from '../../../src/codes/files/upload.ts';
import { createServedFiles } from '../../../src/codes/files/served-files.ts';
import { deleteFile, purgeFiles, saveFile } from '../../../src/codes/files/stored-file.ts';
import type { QrCode } from '../../../src/codes/qr-code.ts';
import type { Database } from '../../../src/store/database.ts';
import { ownWorkspaceId } from '../../../src/workspaces/workspace.ts';
import { exportFiles } from '../../../workers/export-handler.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { lockWaiters } from '../../support/row-lock.ts';
import { type TestService, startService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import { createCode } from '../../support/share.ts';
import { jpeg, png } from './logo-files.ts';
import { pdf } from './pdf-file.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

const email = 'files@example.com';
const baseUrl = 'https://qr.test';
const quotaBytes = 1e9;
const old = pdf({ comment: 'old', bytes: 500_000 });
const replacement = pdf({ comment: 'replacement', bytes: 400_000 });

/** The bytes of a replaced file are purged, so what reads them in several steps must not begin with one and end with another. */
describe('A file that is replaced or deleted while it is read', () => {
  let service: TestService;
  let api: ApiClient;
  let client: FormClient;
  let userId: string;

  before(async () => {
    service = await startService(quickImages);
    api = apiClient(service.url, await service.makeKey({ email }));
    client = await signedIn(service, email);
    ({ id: userId } = (await service.db('users').where({ email }).first()) as { id: string });
  });
  after(() => service.stop());

  async function codeWithFile(): Promise<QrCode> {
    const { id } = await createCode(api);
    await api(`/qrcodes/${id}/file?name=Old`, {
      method: 'PUT',
      raw: new Uint8Array(old),
      headers: { 'Content-Type': 'application/pdf' },
    });
    return findCode(service.db, userId as WorkspaceId, id);
  }

  async function replaceAndPurge(db: Database, code: QrCode): Promise<void> {
    const file = {
      kind: 'file',
      name: 'New.pdf',
      mediaType: 'application/pdf',
      data: replacement,
    } as const;
    const content = fileAddress(baseUrl, code.shareToken, file.name);
    await saveFile(db, code, file, { quotaBytes, content, now: new Date() });
    await purgeFiles(db, () => false);
  }

  async function deleteAndPurge(db: Database, code: QrCode): Promise<void> {
    await deleteFile(db, code, 'file');
    await purgeFiles(db, () => false);
  }

  it('reads a large part from the database once, and keeps no small ones: any client can ask for thousands', async () => {
    const { id } = await codeWithFile();
    const files = createServedFiles(service.db);
    const { id: fileId = '' } = (await files.find(id)) ?? {};
    const large = { position: 1, from: 0, length: 100_000 };
    const small = { position: 1, from: 0, length: 1 };
    const read = await files.readPart(fileId, large);
    expect((await files.readPart(fileId, small))?.length).to.equal(1);
    await service.db('code_file_chunks').where({ file_id: fileId }).delete();
    expect(await files.readPart(fileId, large)).to.equal(read);
    expect(await files.readPart(fileId, small)).to.equal(undefined);
  });

  async function served(url: string): Promise<Buffer> {
    const answer = await fetch(url.replace(baseUrl, service.url));
    expect(answer.status).to.equal(200);
    return Buffer.from(await answer.arrayBuffer());
  }

  describe('by Duplicate', () => {
    /** `change` happens after the first code was read, and before its copy is stored. */
    async function duplicateWhile(code: QrCode, change: (db: Database) => Promise<void>): Promise<Response> {
      await client.get(`/codes/${code.id}`);
      const duplicating = await service.db.transaction(async (holder) => {
        await holder.raw('SELECT 1 FROM workspaces WHERE id = ? FOR UPDATE', [userId]);
        const answer = client.post(`/codes/${code.id}/duplicate`, {});
        await lockWaiters(service.db, 1);
        await change(holder);
        return { answer };
      });
      return duplicating.answer;
    }

    it('is copied as it is then, with its name in the address', async () => {
      const code = await codeWithFile();
      const answer = await duplicateWhile(code, (db) => replaceAndPurge(db, code));
      const [, id] = /\/codes\/([0-9a-f-]{36})\/edit/.exec(answer.headers.get('Location') ?? '') ?? [];
      const copy = (await api(`/qrcodes/${id}/file`)).body;
      expect(copy).to.include({ name: 'New.pdf', bytes: replacement.length });
      expect((await api(`/qrcodes/${id}`)).body.content).to.equal(copy.url);
      expect((await served(copy.url)).equals(replacement)).to.equal(true);
    });

    it('is copied as the photo of a contact', async () => {
      const vcard = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD';
      const { id } = await createCode(api, { type: 'vcard', content: vcard });
      await api(`/qrcodes/${id}/photo`, {
        method: 'PUT',
        raw: new Uint8Array(png()),
        headers: { 'Content-Type': 'image/png' },
      });
      const code = await findCode(service.db, userId as WorkspaceId, id);
      const data = await jpeg();
      const photo = { kind: 'photo', name: 'photo.jpg', mediaType: 'image/jpeg', data } as const;
      const answer = await duplicateWhile(code, async (db) => {
        await saveFile(db, code, photo, { quotaBytes, now: new Date() });
        await purgeFiles(db, () => false);
      });
      const [, copy] = /\/codes\/([0-9a-f-]{36})\/edit/.exec(answer.headers.get('Location') ?? '') ?? [];
      expect((await api(`/qrcodes/${copy}`)).body).to.include({ type: 'vcard', content: vcard });
      const { url, bytes } = (await api(`/qrcodes/${copy}/photo`)).body;
      expect(bytes).to.equal(data.length);
      expect((await served(url)).equals(data)).to.equal(true);
    });

    it('is not copied as an empty file: the code is not duplicated, and the page says so', async () => {
      const code = await codeWithFile();
      const count = async () => (await service.db('qr_codes').where({ user_id: userId })).length;
      const before = await count();
      const answer = await duplicateWhile(code, (db) => deleteAndPurge(db, code));
      expect(answer.status).to.equal(409);
      expect(await answer.text()).to.contain('Its file was deleted meanwhile. Duplicate the code again.');
      expect(await count()).to.equal(before);
    });
  });

  describe('by the export of the account', () => {
    /** The files in the archive. `change` happens after the first piece of the first of them. */
    async function exportWhile(change: () => Promise<void>): Promise<Map<string, Buffer>> {
      const found = new Map<string, Buffer>();
      let isChanged = false;
      for await (const { name, content } of exportFiles(service.db, ownWorkspaceId({ id: userId }), {
        baseUrl,
        now: new Date(),
      })) {
        const pieces: Buffer[] = [];
        for await (const piece of content) {
          pieces.push(Buffer.from(piece));
          if (!name.startsWith('files/') || isChanged) continue;
          isChanged = true;
          await change();
        }
        if (name.startsWith('files/')) found.set(name, Buffer.concat(pieces));
      }
      return found;
    }

    beforeEach(() => service.db('code_files').delete());

    it('is exported whole: the one being read as it was, the next as it is by then', async () => {
      const codes = [await codeWithFile(), await codeWithFile()] as const;
      const [first, second] = codes.map(({ id }) => id);
      const found = await exportWhile(async () => {
        for (const code of codes) await replaceAndPurge(service.db, code);
      });
      expect([...found.keys()]).to.deep.equal([`files/${first}/Old.pdf`, `files/${second}/New.pdf`]);
      const [was, is] = [...found.values()];
      expect(was?.equals(old)).to.equal(true);
      expect(is?.equals(replacement)).to.equal(true);
    });

    it('is exported whole or not at all if it is deleted', async () => {
      const codes = [await codeWithFile(), await codeWithFile(), await codeWithFile()] as const;
      const found = await exportWhile(async () => {
        for (const code of codes.slice(0, 2)) await deleteAndPurge(service.db, code);
      });
      const [first, , third] = codes.map(({ id }) => id);
      expect([...found.keys()]).to.deep.equal([`files/${first}/Old.pdf`, `files/${third}/Old.pdf`]);
      for (const file of found.values()) expect(file.equals(old)).to.equal(true);
    });
  });
});
