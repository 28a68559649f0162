#include "views/assets.h"

namespace relayer::views
{
namespace
{
// Pages say all they have without it. Where it runs, one that is marked is read again every other
// second, and what has changed in it is put in place: not while somebody types, selects, or looks
// elsewhere.
constexpr std::string_view kScript = R"js('use strict';
(() => {
  const main = document.querySelector('main[data-live]');
  const pulse = document.querySelector('[data-pulse]');
  if (!main || !window.fetch || !window.DOMParser) return;
  const period = 2000;
  let failures = 0;
  const busy = () =>
    document.hidden ||
    (main.contains(document.activeElement) &&
      document.activeElement.matches('input,select,textarea,button')) ||
    String(getSelection()) !== '';
  // The same places keep their elements, so that focus and scrolling stay where they are.
  const renew = (into, from) => {
    if (into.isEqualNode(from)) return;
    const olds = [...into.childNodes];
    const news = [...from.childNodes];
    const alike = olds.length === news.length &&
      olds.every((node, i) => node.nodeName === news[i].nodeName);
    if (into.nodeType !== 1 || !alike || into.namespaceURI.endsWith('svg')) {
      into.replaceWith(document.importNode(from, true));
      return;
    }
    for (const {name} of [...into.attributes]) {
      if (!from.hasAttribute(name)) into.removeAttribute(name);
    }
    for (const {name, value} of from.attributes) {
      if (into.getAttribute(name) !== value) into.setAttribute(name, value);
    }
    olds.forEach((node, i) => renew(node, news[i]));
  };
  const ask = async () => {
    try {
      const answer = await fetch(location.href, {
        credentials: 'same-origin', cache: 'no-store', redirect: 'manual'});
      if (answer.type === 'opaqueredirect') { location.reload(); return; }
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.querySelector('main[data-live]');
      if (fresh && !busy()) {
        fresh.querySelectorAll('.notice').forEach((old) => old.remove());
        main.querySelectorAll('.notice').forEach((old) => fresh.prepend(old.cloneNode(true)));
        renew(main, fresh);
        const then = document.querySelector('footer time');
        const now = page.querySelector('footer time');
        if (then && now) then.replaceWith(document.importNode(now, true));
      }
      failures = 0;
      pulse.textContent = 'live';
    } catch {
      failures += 1;
      pulse.textContent = 'no answer';
    }
    pulse.hidden = false;
    pulse.classList.toggle('lost', failures > 0);
    setTimeout(next, period * Math.min(1 + failures, 8));
  };
  const next = () => (busy() ? setTimeout(next, period) : ask());
  setTimeout(next, period);
})();
)js";

constexpr std::string_view kIcon =
    R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<rect width="24" height="24" rx="6" fill="#0b5cad"/><g fill="none" stroke="#fff" stroke-width="2"
stroke-linecap="round" stroke-linejoin="round"><path d="M5 7h8a4.5 4.5 0 0 1 0 9h-3"/>
<path d="M12.500 13 9.500 16l3 3"/></g><circle cx="18.500" cy="17.500" r="1.800" fill="#fff"/></svg>
)svg";
}  // namespace

std::string_view consoleScript()
{
    return kScript;
}

std::string_view consoleIcon()
{
    return kIcon;
}
}  // namespace relayer::views
