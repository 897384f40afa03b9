// A redirect in a Koa application that records nothing.
import Koa from 'koa';

const app = new Koa();
app.use((ctx) => {
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect('https://example.com/target');
  ctx.body = null;
  ctx.status = 302;
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
