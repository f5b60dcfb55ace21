// Sockets. A socket says the last sequence number that the page has, so nothing is missed or shown twice after a break;
// what comes in is out-of-band fragments. Here is what htmx leaves open: the address of a reconnect, what a swap must not
// disturb, the count in the title, and the word that a list elsewhere on the page should be asked for anew.
const body = document.body;
const conn = document.getElementById("conn");
const title = document.title;
const lost = new Set();
let timer = 0;

htmx.createWebSocket = (url) => {
  const address = new URL(url);
  const seq = document.getElementById("seq");
  if (seq && address.pathname.startsWith("/ws/sessions/")) address.searchParams.set("after", seq.dataset.seq);
  return new WebSocket(address);
};
htmx.config.wsReconnectDelay = (tries) => Math.min(8000, 250 * 2 ** tries) * (0.5 + Math.random() / 2);

const ENDED = { 4401: "This login has ended. Load the page again to log in.", 4403: "This page may not watch.", 4404: "What this page shows is gone." };

body.addEventListener("htmx:wsOpen", (e) => {
  if (!lost.delete(e.target.id) || lost.size) return;
  clearTimeout(timer);
  timer = 0;
  conn.hidden = true;
  htmx.trigger(body, "wb:back");
});
body.addEventListener("htmx:wsClose", (e) => {
  const code = e.detail.event.code;
  if (code === 1000 || !e.target.isConnected) return;
  lost.add(e.target.id);
  const say = () => {
    conn.textContent = ENDED[code] ?? "Not connected. Trying again; nothing that happens is lost.";
    conn.hidden = false;
  };
  if (ENDED[code]) say();
  else timer ||= setTimeout(say, 1200);
});

// A fragment that says what stands there already is left out: no button changes under a click, no focus is lost.
body.addEventListener("htmx:oobBeforeSwap", (e) => {
  const { target, fragment } = e.detail;
  const next = fragment.firstElementChild;
  if (fragment.childElementCount === 1 && next && next.id && next.id === target.id) {
    const now = target.cloneNode(true);
    for (const el of [now, ...now.querySelectorAll("*")]) {
      if (!el.getAttribute("class")) el.removeAttribute("class");
      el.classList.remove("htmx-settling", "htmx-added", "htmx-swapping");
    }
    if (now.outerHTML === next.outerHTML) { e.detail.shouldSwap = false; return; }
  }
  keep(target);
});

// What a person was at inside a part that is replaced: focus, caret, text, open details, how far it was scrolled.
let held = null;
function keep(target) {
  const active = target.contains(document.activeElement) ? document.activeElement : null;
  const texts = [...target.querySelectorAll("textarea[id], input[id]")].filter((f) => f.value !== f.defaultValue).map((f) => [f.id, f.value]);
  const open = [...target.querySelectorAll("details[open]")].map((d) => d.className);
  const scrolled = [...target.querySelectorAll(".scroll, .term, .diff-w")].map((s) => [s.scrollTop, s.scrollLeft]);
  held = { id: target.id, focus: active?.id, inside: Boolean(active), texts, open, scrolled, caret: active?.selectionStart };
}
function restore() {
  const kept = held;
  held = null;
  const target = kept && document.getElementById(kept.id);
  if (!target) return;
  for (const [id, value] of kept.texts) { const field = document.getElementById(id); if (field && target.contains(field)) field.value = value; }
  for (const name of kept.open) target.querySelector(`details[class="${name}"]`)?.setAttribute("open", "");
  [...target.querySelectorAll(".scroll, .term, .diff-w")].forEach((s, n) => { if (kept.scrolled[n]) [s.scrollTop, s.scrollLeft] = kept.scrolled[n]; });
  if (!kept.inside) return;
  const again = kept.focus && document.getElementById(kept.focus);
  if (again) {
    again.focus({ preventScroll: true });
    if (kept.caret != null) try { again.setSelectionRange(kept.caret, kept.caret); } catch { /* no text field */ }
  } else if (!document.activeElement || document.activeElement === body) {
    if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
}
body.addEventListener("htmx:oobAfterSwap", () => { if (held) queueMicrotask(restore); });

// The count beside Queue is the one place that knows how many wait: the title repeats it, a new one is announced.
let known = null;
function count() {
  const needs = document.getElementById("needs");
  if (!needs) return;
  const n = Number(needs.dataset.count);
  document.title = n ? `(${n}) ${title}` : title;
  if (known !== null && n > known) {
    document.getElementById("announce").textContent = `${needs.dataset.latest ?? "A session"} needs you. ${n} waiting.`;
  }
  known = n;
}
count();

let news = 0;
body.addEventListener("htmx:wsAfterMessage", (e) => {
  if (e.target.id === "queue-socket") {
    count();
    htmx.trigger(body, "wb:queue");
  } else {
    clearTimeout(news);
    news = setTimeout(() => htmx.trigger(body, "wb:session"), 600);
  }
});
body.addEventListener("htmx:afterRequest", count);
