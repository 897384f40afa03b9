import { expect } from 'chai';
import { fileAddress, fileNameOf } from '../../../src/codes/files/upload.ts';

describe('Names of files', () => {
  for (const [given, name, path] of [
    ['Menu.pdf', 'Menu.pdf', 'Menu.pdf'],
    ['Menu.PDF', 'Menu.pdf', 'Menu.pdf'],
    ['photo.jpeg', 'photo.pdf', 'photo.pdf'],
    ['Menü, Sommer 2027.pdf', 'Menü, Sommer 2027.pdf', 'Menu-Sommer-2027.pdf'],
    ['菜单.pdf', '菜单.pdf', 'file.pdf'],
    ['../../etc/passwd', 'passwd.pdf', 'passwd.pdf'],
    ['C:\\menus\\..\\a.pdf', 'a.pdf', 'a.pdf'],
    ['..', 'file.pdf', 'file.pdf'],
    ['', 'file.pdf', 'file.pdf'],
    ['.htaccess', 'htaccess.pdf', 'htaccess.pdf'],
    ['a"b\r\nSet-Cookie: x=1.pdf', 'abSet-Cookie x=1.pdf', 'abSet-Cookie-x-1.pdf'],
    ['menu\u202Efdp.exe', 'menufdp.exe.pdf', 'menufdp-exe.pdf'],
    ['\uD800lone.pdf', '\uFFFDlone.pdf', 'lone.pdf'],
    ['x'.repeat(5_000), `${'x'.repeat(60)}.pdf`, `${'x'.repeat(60)}.pdf`],
  ] as const)
    it(`${JSON.stringify(given.slice(0, 40))} is ${name.slice(0, 40)}`, () => {
      expect(fileNameOf(given, 'application/pdf')).to.equal(name);
      expect(fileAddress('https://qr.test/base', 'aaaaaaaaaa', name)).to.equal(
        `https://qr.test/base/f/aaaaaaaaaa/${path}`,
      );
    });
});
