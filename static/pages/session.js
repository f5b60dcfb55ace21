// The timeline: stays at the end while you are there, else says that there is more; finds old events; keeps your place
// when older ones come in above.
const page = document.getElementById("session");
const rows = document.getElementById("rows");
const newer = document.getElementById("newer");
const root = document.scrollingElement;
const LINES = 400, MOST = 400, KEPT = 150;

const atEnd = () => root.scrollHeight - root.scrollTop - innerHeight < 120;
const toEnd = () => { root.scrollTop = root.scrollHeight; newer.hidden = true; };
let following = true;

addEventListener("scroll", () => { following = atEnd(); if (following) newer.hidden = true; }, { passive: true });
newer.addEventListener("click", () => { following = true; toEnd(); });
document.addEventListener("keydown", (e) => { if (e.key === "End" && !e.target.closest("textarea, input")) { following = true; toEnd(); e.preventDefault(); } });

let last = rows.lastElementChild;
document.body.addEventListener("htmx:wsAfterMessage", (e) => {
  if (e.target.id !== "session-socket") return;
  for (const term of document.querySelectorAll(".term.live")) trim(term);
  if (following && !document.querySelector(":focus-within:is(.ap, .ask-b)")) toEnd();
  else if (rows.lastElementChild !== last) newer.hidden = false;
  last = rows.lastElementChild;
  if (following) forget();
});

// Followed for long, the page keeps the last rows; the ones before come back on scroll.
function forget() {
  const events = rows.querySelectorAll(":scope > .ev");
  if (events.length <= MOST) return;
  const kept = events[events.length - KEPT];
  while (rows.firstElementChild !== kept) rows.firstElementChild.remove();
  const first = kept.id.slice(1), older = document.createElement("div");
  Object.assign(older, { className: "older", id: "older" });
  older.dataset.first = first;
  older.setAttribute("hx-get", `${page.dataset.rows}?before=${first}`);
  older.setAttribute("hx-trigger", "intersect once");
  older.setAttribute("hx-swap", "outerHTML");
  rows.prepend(older);
  htmx.process(older);
}

// A running command's terminal holds its last lines only; the whole output can be paged once it has ended.
function trim(term) {
  const done = term.firstElementChild;
  if (!done || done.childNodes.length < LINES * 3) return;
  const text = done.innerHTML.split("\n");
  if (text.length > LINES * 2) done.innerHTML = text.slice(-LINES).join("\n");
  term.scrollTop = term.scrollHeight;
}

// Older rows are put in above: what you look at stays where it is.
let height = 0;
rows.addEventListener("htmx:beforeSwap", (e) => { if (e.detail.target.id === "older") height = root.scrollHeight - root.scrollTop; });
rows.addEventListener("htmx:afterSwap", () => { if (height) { root.scrollTop = root.scrollHeight - height; height = 0; } });

// A link to an event that is not on the page yet brings the pages down to it.
async function find() {
  const seq = Number(/^#e(\d+)$/.exec(location.hash)?.[1]);
  if (!seq || document.getElementById(`e${seq}`)) return;
  const older = document.getElementById("older");
  if (!older || "all" in older.dataset) return;
  following = false;
  await htmx.ajax("GET", `${page.dataset.rows}?before=${older.dataset.first}&back_to=${seq}`, { target: "#older", swap: "outerHTML" });
  document.getElementById(`e${seq}`)?.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", find);

document.body.addEventListener("click", (e) => {
  if (!e.target.closest("[data-to-request]")) return;
  e.preventDefault();
  const request = document.querySelector("[data-request]");
  (request?.closest("article") ?? request)?.focus();
  request?.scrollIntoView({ block: "center" });
});

// While it runs the open bars of the waterfall grow.
setInterval(() => {
  if (document.visibilityState === "visible" && document.getElementById("s-wf")?.dataset.live) htmx.trigger(document.body, "wb:session");
}, 10000);

if (/^#e\d+$/.test(location.hash)) find(); else toEnd();
