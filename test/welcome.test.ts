import { expect } from 'chai';
import { welcomeText } from '../src/welcome.ts';

describe('What npm start prints', () => {
  const started = { host: undefined, port: 3000, dataDir: '.data', databaseUrl: undefined };

  it('announces BASE_URL, and where the proxy finds it', () => {
    const text = welcomeText({ ...started, baseUrl: 'https://qr.example.com/links' });
    expect(text.split('\n').slice(0, 2)).to.deep.equal([
      'Qrelay is ready at https://qr.example.com/links',
      'It listens on http://localhost:3000, which your proxy has to forward requests to.',
    ]);
    expect(text).to.contain('curl -s http://localhost:3000/links/api/v1/qrcodes');
  });

  it('announces one address where there is no proxy', () => {
    const text = welcomeText({ ...started, baseUrl: 'http://localhost:3000' });
    expect(text).to.match(/^Qrelay is ready at http:\/\/localhost:3000\n\nNext: /);
    expect(text).to.contain('curl -s http://localhost:3000/api/v1/qrcodes').and.not.contain('It listens');
  });
});
