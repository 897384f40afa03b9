import { html } from './html.ts';

/**
 * The one script of the share pages. It opens the app for a number or an address once: not after going back or reloading,
 * which would trap the reader, and only on phones, because a desktop may show an error page. The script is the same on
 * every page, because the Content-Security-Policy allows it by its hash; its texts come from the page.
 */
export const pageScript = html`
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
