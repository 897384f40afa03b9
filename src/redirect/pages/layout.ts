import { createHash } from 'node:crypto';
import { type Brand, ourBrand } from '../../brand.ts';
import { colors, themeRules } from '../../theme.ts';
import type { Translation } from '../translations.ts';
import type { Accent } from './own-look.ts';
import { type Markup, html } from './html.ts';

/** The type is larger than the app's, and a long word breaks anywhere: these pages are for phones, down to 320 px. */
const rules = html`
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100svh;display:flex;flex-direction:column;align-items:center;padding:1rem 1rem 0;background:var(--paper);color:var(--ink);font:1.125rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main,.box,.secret{border:1px solid var(--line);border-radius:var(--round-l)}
main{width:100%;max-width:30rem;margin-top:clamp(0rem,9vh - 2rem,5rem);padding:1.5rem;background:var(--card);box-shadow:0 1px 2px #0e1f1b0f,0 12px 32px #0e1f1b14}
.kind{display:flex;align-items:center;gap:.75rem;margin:0 0 1rem}
svg{flex:none;width:1.5rem;height:1.5rem;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.kind svg{width:var(--touch);height:var(--touch);padding:.625rem;border-radius:50%;background:var(--tint);color:var(--accent)}
img{display:block}
.logo{max-width:min(12rem,100%);max-height:6rem;margin-bottom:1.25rem;padding:.5rem;border-radius:.75rem;background:#fff}
.notice{text-align:center}
.notice .kind{flex-direction:column}
.notice .logo{margin-inline:auto}
h1{margin:0;font-size:1.625rem;line-height:1.2;font-weight:700;letter-spacing:-.02em}
p{margin:.75rem 0 0}
a{color:var(--accent);text-underline-offset:.2em}
.kind,.quiet,dt,small,footer{color:var(--dim);font-size:1rem}
.value{font-size:1.25rem;font-weight:500;font-variant-numeric:tabular-nums}
.value.long{font-size:1.125rem}
.photo{margin-top:1rem;border-radius:50%;background:var(--line)}
.stored{white-space:pre-wrap}
.box{margin-top:1rem;padding:.875rem 1rem;background:var(--paper)}
dl{margin:1.25rem 0 0}
dl>div{padding:.75rem 0;border-top:1px solid var(--line)}
dl>:last-child{padding-bottom:0}
dd>.stored{width:100%}
dd{position:relative;display:flex;flex-wrap:wrap;align-items:center;column-gap:.75rem;margin:.125rem 0 0}
dd>a{flex:1;display:flex;align-items:center;min-height:var(--touch);font-weight:500;text-decoration:none}
dd>a:before{content:'';position:absolute;inset:0}
dd:has(>a):after{content:'›'/'';color:var(--dim)}
.secret{width:100%;margin-top:.375rem;padding:.625rem .875rem;background:var(--paper);font:600 1.25rem/1.4 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;-webkit-user-select:all;user-select:all}
.links{list-style:none;display:grid;gap:.75rem;margin:1.25rem 0 0;padding:0}
.links small{display:block;font-weight:400}
.links .button{justify-content:start;gap:.75rem;padding:.5rem .75rem;text-align:start}
.actions{display:grid;gap:.75rem;margin-top:1.5rem}
.actions:has(>[data-copy][hidden]){display:none}
.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3.5rem;padding:.5rem 1.25rem;border:1px solid var(--line);border-radius:var(--round-l);background:none;color:var(--accent);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;-webkit-tap-highlight-color:transparent}
.primary{border:0;background:var(--accent);color:var(--accent-ink)}
.button:active{opacity:.85}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%)}
.join{margin-top:1.5rem;padding-top:1.5rem;border-top:1px solid var(--line);text-align:center}
.join img{width:min(15rem,100%);height:auto;margin:0 auto;padding:.5rem;border-radius:var(--round-l);background:#fff}
footer{display:flex;flex-wrap:wrap;align-items:center;column-gap:1rem;margin-top:auto;padding:1.5rem 0}
footer a{display:flex;align-items:center;min-height:var(--touch);color:inherit}
@media(min-width:40rem){main{margin:auto;padding:2.25rem}footer{margin:0}}
@media print{:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#000;--dim:#222;--line:#999;--accent:#000}body{padding:0;display:block}main{border:0;box-shadow:none;margin:0;padding:0}.actions,footer{display:none}main:has(.join)>:not(h1,.join),.join p{display:none}.join{padding:0;border:0;text-align:start}.join img{width:60mm;height:60mm;margin:0;padding:0}}
`;

/** Buttons keep a contrast of 7:1, too: a phone in sunlight. */
const shareAccent = [colors['accent-strong'][0], colors.accent[1]] as const;

/** The one style sheet of the share pages, inlined in each. */
const pageStyle = html`
${themeRules(rules.toString(), { accent: shareAccent })}${rules}`;

/**
 * The one script of the share pages. It opens the app for a number or an address once: not after going back or reloading,
 * which would trap the reader, and only on phones, because a desktop may show an error page. The script is the same on
 * every page, because the Content-Security-Policy allows it by its hash; its texts come from the page.
 */
const pageScript = html`
(function(){
'use strict';
var page=document,app=page.querySelector('a[data-open]');
function open(){
var key='opened '+location.pathname,entry=performance.getEntriesByType('navigation')[0],before=entry&&entry.type!=='navigate';
try{before=before||sessionStorage.getItem(key);sessionStorage.setItem(key,'1')}catch(blocked){}
if(!before)location.href=app.href
}
if(app&&matchMedia('(pointer:coarse)').matches){
if(page.prerendering)page.addEventListener('prerenderingchange',open,{once:true});
else addEventListener('load',function(){setTimeout(open)})
}
function copyMarked(field,text){
var range=page.createRange(),selection=getSelection(),done=false;
function put(event){event.clipboardData.setData('text/plain',text);event.preventDefault()}
range.selectNodeContents(field);
selection.removeAllRanges();
selection.addRange(range);
page.addEventListener('copy',put);
try{done=page.execCommand('copy')}catch(refused){}
page.removeEventListener('copy',put);
return done
}
page.querySelectorAll('[data-copy]').forEach(function(button){
var field=page.getElementById(button.dataset.copy),said=page.getElementById('said'),label=button.textContent,timer;
function say(text){
said.textContent=button.textContent=text;
clearTimeout(timer);
timer=setTimeout(function(){button.textContent=label;said.textContent=''},3000)
}
function byHand(){say(copyMarked(field,field.textContent)?button.dataset.copied:button.dataset.marked)}
button.hidden=false;
button.addEventListener('click',function(){
if(!navigator.clipboard)return byHand();
navigator.clipboard.writeText(field.textContent).then(function(){say(button.dataset.copied)},byHand)
})
})
})()
`;

/** Allows the page's own style, script, icon and images, and nothing that stored text could inject. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src '${hash(pageStyle)}'`,
  `script-src '${hash(pageScript)}'`,
  // Our favicon is a data: URL.
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Also allows the style of the owner's color. */
export function policyWith(accent: Accent | undefined): string {
  return accent ? pagePolicy.replace("style-src '", `style-src '${accent.hash}' '`) : pagePolicy;
}

function hash(text: Markup): string {
  return `sha256-${createHash('sha256').update(text.toString()).digest('base64')}`;
}

const headOf = (icon: Markup | string) => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<meta name="theme-color" content="${colors.paper[0]}" media="(prefers-color-scheme:light)">
<meta name="theme-color" content="${colors.paper[1]}" media="(prefers-color-scheme:dark)">
<link rel="icon" href="${icon}">
<style>${pageStyle}</style>`;

/** Links have no address in a preview, and browsers would not underline them. */
const previewStyle = html`a:not(.button){text-decoration:underline}`;

const script = html`<script>${pageScript}</script>
`;

/** A `data:` URL, so that browsers do not request /favicon.ico. */
const ourIcon = html`data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' rx='2' fill='%230b5d52'/%3E%3Cpath d='M2 2h1.5v1.5H2zM4.5 2H6v1.5H4.5zM2 4.5h1.5V6H2zM4.5 4.5H6V6H4.5z' fill='%23fff'/%3E%3C/svg%3E`;

/** What all pages of an installation have in common. */
export interface PageSite {
  /** The path of BASE_URL, a prefix of every link to this service. */
  basePath?: string;
  brand?: Brand;
}

interface LayoutOptions extends PageSite {
  accent?: Accent | undefined;
  /** Where to report the code for abuse. */
  reportHref?: string | undefined;
  /** Has no content: a sentence in the middle. */
  isNotice?: boolean | undefined;
  /** For a preview in another page, whose policy allows only styles with this nonce, and no script. */
  previewNonce?: string | undefined;
}

/** A whole document. */
export function layout(
  translation: Translation,
  title: string,
  main: Markup,
  { basePath = '', brand = ourBrand, accent, reportHref, isNotice, previewNonce }: LayoutOptions = {},
): string {
  const { publicName, icon } = brand;
  const isPreview = previewNonce !== undefined;
  const nonce = isPreview ? html` nonce="${previewNonce}"` : undefined;
  return html`<!doctype html>
<html lang="${translation.lang}">
<head>
${isPreview ? html`<style${nonce}>${pageStyle}${previewStyle}</style>` : headOf(icon ? `${basePath}${icon.path}` : ourIcon)}
${accent && html`<style${nonce}>${accent.style}</style>\n`}<title>${title}</title>
</head>
<body>
<main${isNotice ? html` class="notice"` : undefined}>
${main}
</main>
<footer>${publicName}${reportHref && html` <a href="${reportHref}" rel="noopener noreferrer">${translation.reportAbuse}</a>`}</footer>
${isPreview ? undefined : script}</body>
</html>
`.toString();
}
