import { cleanUp, expectAllGone } from '../processes/instance.ts';
import { type ScannedInstance, startScannedInstance } from '../processes/scanned-instance.ts';

describe('npm start, when a process hangs', function () {
  this.timeout(180_000);
  let service: ScannedInstance;
  before(async () => {
    service = await startScannedInstance();
  });
  after(async () => {
    service?.instance.child.kill('SIGTERM');
    if (service) await expectAllGone(service.instance.dataDir, 30_000);
    await cleanUp();
  });

  it('serves again where it was the web process', () => service.expectReplaced('web', 'SIGSTOP'));
  it('records scans again where it was the worker process', () =>
    service.expectReplaced('worker', 'SIGSTOP'));
});
