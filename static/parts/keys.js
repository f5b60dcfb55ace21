// Single keys, outside fields only, and only while they are switched on. A key presses what carries `data-key`, in the
// request or event that has the focus, else in the first request on the page.
const body = document.body;
const dialog = document.getElementById("keys");
const off = document.getElementById("keys-off");
const PLACES = { h: "/", q: "/queue/", y: "/history/", f: "/files/" };
let went = 0;

const stored = () => { try { return localStorage.getItem("keys-off") === "1"; } catch { return false; } };
off.checked = stored();
off.addEventListener("change", () => { try { localStorage.setItem("keys-off", off.checked ? "1" : "0"); } catch { /* private */ } });

export const inField = (el) => el.closest?.("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]");

function current() {
  const requests = "[data-request]";
  return document.activeElement?.closest(`${requests}, .ev`)?.closest(requests)
    ?? document.activeElement?.closest(".ev")?.querySelector(requests) ?? document.querySelector(requests);
}

// J and K: requests in the queue, events in a session.
function move(step) {
  const rows = [...document.querySelectorAll("#q-list .q-i")];
  if (rows.length) {
    const at = rows.findIndex((r) => r.ariaCurrent === "true");
    rows[Math.min(rows.length - 1, Math.max(0, at + step))].click();
    return true;
  }
  const events = [...document.querySelectorAll("#rows > .ev:not(.bare)")];
  if (!events.length) return false;
  const at = events.indexOf(document.activeElement?.closest(".ev"));
  const from = at < 0 ? events.findIndex((ev) => ev.getBoundingClientRect().top > 120) - (step > 0 ? 1 : 0) : at;
  const next = events[Math.min(events.length - 1, Math.max(0, from + step))];
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function press(key) {
  const request = current();
  const scoped = request?.querySelector(`[data-key="${key}"]:not([hidden]):not([disabled])`);
  const found = scoped ?? document.querySelector(`:not([data-request]) > [data-key="${key}"]:not([hidden])`);
  if (!found || found.closest("[data-request]") && !scoped) return false;
  found.click();
  return true;
}

function choose(n) {
  const options = current()?.querySelectorAll('input[name="choice"]:not(:disabled)') ?? [];
  if (!options[n - 1]) return false;
  options[n - 1].checked = true;
  options[n - 1].focus();
  return true;
}

function act(key, e) {
  if (went && PLACES[key] && Date.now() - went < 1200) { went = 0; location.assign(PLACES[key]); return true; }
  went = key === "g" ? Date.now() : 0;
  if (key === "?") { dialog.showModal(); return true; }
  if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
  if (key >= "1" && key <= "9") return choose(Number(key));
  if (key === "enter" && !e.target.closest("a, button, summary, [tabindex='0']")) return press("answer");
  if (key === "t") { document.querySelector("[data-theme-toggle]").click(); return true; }
  if (key === "m") { const msg = document.getElementById("msg"); msg?.focus(); return Boolean(msg); }
  return "aerp".includes(key) && key.length === 1 && press(key);
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
  if (off.checked || inField(e.target)) return;
  if (act(e.key.toLowerCase(), e)) e.preventDefault();
});
body.addEventListener("click", (e) => { if (e.target.closest("[data-keys]")) dialog.showModal(); });
