import { html } from './html.ts';

/**
 * The one style sheet of the share pages, with the colors and radii of the app. All text has a contrast of at least 7:1,
 * to be readable in sunlight: hence a darker `--quiet`. Touch targets are at least 44 px high, and long words break, so
 * that pages fit a width of 320 px.
 */
export const pageStyle = html`
:root{color-scheme:light dark;--page:#f6f7f5;--card:#fff;--ink:#15201e;--quiet:#3f4f4b;--line:#d5dcd9;--tint:#e4f0ed;--strong:#0b5d52;--on-strong:#fff;--round:.5rem}
@media screen and (prefers-color-scheme:dark){:root{--page:#111615;--card:#1a2220;--ink:#eaf0ee;--quiet:#a9b8b3;--line:#35413e;--tint:#20403a;--strong:#6fd3c0;--on-strong:#06201b}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100svh;display:flex;flex-direction:column;align-items:center;padding:max(1rem,env(safe-area-inset-top)) 1rem 0;background:var(--page);color:var(--ink);font:1.125rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{width:100%;max-width:30rem;margin-top:clamp(0rem,9vh - 2rem,5rem);padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:var(--round);box-shadow:0 1px 2px #0e1f1b0f,0 12px 32px #0e1f1b14}
.kind{display:flex;align-items:center;gap:.75rem;margin:0 0 1rem;color:var(--quiet);font-weight:600}
.kind svg{flex:none;width:2.75rem;height:2.75rem;padding:.625rem;border-radius:50%;background:var(--tint);color:var(--strong);fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:700}
p{margin:.75rem 0 0}
.quiet{color:var(--quiet);font-size:1rem}
.value{margin-top:1rem;font-size:clamp(1.25rem,6.25vw,1.75rem);line-height:1.3;font-weight:600;font-variant-numeric:tabular-nums}
.value.long{font-size:1.25rem}
.stored{white-space:pre-wrap}
.box{margin-top:1rem;padding:.875rem 1rem;border:1px solid var(--line);border-radius:var(--round);background:var(--page)}
dl{margin:1.25rem 0 0}
dl>div{padding:.75rem 0;border-top:1px solid var(--line)}
dl>:last-child{padding-bottom:0}
dd>.stored{width:100%}
dt{color:var(--quiet);font-size:1rem}
dd{display:flex;flex-wrap:wrap;align-items:center;column-gap:.75rem;margin:.125rem 0 0}
dd a{display:flex;align-items:center;min-height:2.75rem;color:var(--strong);font-weight:600;text-underline-offset:.2em}
dd small{font-size:1rem;color:var(--quiet)}
.secret{width:100%;margin-top:.375rem;padding:.625rem .875rem;border:1px solid var(--line);border-radius:var(--round);background:var(--page);font:600 1.25rem/1.4 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre-wrap;-webkit-user-select:all;user-select:all}
.links{list-style:none;display:grid;gap:.75rem;margin:1.25rem 0 0;padding:0}
.links small{color:var(--quiet);font-size:1rem;font-weight:400}
.links .button{flex-direction:column;padding:.5rem .75rem}
.actions{display:grid;gap:.75rem;margin-top:1.5rem}
.actions:has(>[data-copy][hidden]){display:none}
.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3.5rem;padding:.5rem 1.25rem;border:2px solid var(--strong);border-radius:var(--round);background:none;color:var(--strong);font:inherit;font-weight:700;text-align:center;text-decoration:none;cursor:pointer;-webkit-tap-highlight-color:transparent}
.primary{background:var(--strong);color:var(--on-strong)}
.button:active{opacity:.85}
:focus-visible{outline:3px solid var(--strong);outline-offset:3px;border-radius:.25rem}
.button:focus-visible{border-radius:var(--round)}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%)}
.join{margin-top:1.5rem;padding-top:1.5rem;border-top:1px solid var(--line);text-align:center}
.join img{display:block;width:min(15rem,100%);height:auto;margin:0 auto;padding:.5rem;border-radius:var(--round);background:#fff}
footer{display:flex;flex-wrap:wrap;align-items:center;column-gap:1rem;margin-top:auto;padding:1.5rem 0;color:var(--quiet);font-size:1rem}
footer a{display:flex;align-items:center;min-height:2.75rem;color:inherit;text-underline-offset:.2em}
@media(prefers-reduced-motion:no-preference){.button{transition:opacity .15s}}
@media(min-width:40rem){main{padding:2.25rem}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--quiet:#222;--line:#999;--strong:#000}body{padding:0;display:block}main{border:0;box-shadow:none;margin:0;padding:0}.actions,footer{display:none}main:has(.join)>:not(h1,.join),.join p{display:none}.join{padding:0;border:0;text-align:start}.join img{width:60mm;height:60mm;margin:0;padding:0}}
`;
