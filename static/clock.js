// One clock for every age and every time on the page. Ages are written once a second; times once, in the reader's zone.
const two = (n) => String(n).padStart(2, "0");

function stopwatch(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s >= 86400) return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
  const h = Math.floor(s / 3600), m = Math.floor((s % 3600) / 60);
  return h ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

function local(date, form) {
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (form === "time") return `${clock}:${two(date.getSeconds())}`;
  const today = new Date().toDateString() === date.toDateString();
  const day = date.toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "short" });
  if (form === "short") return today ? clock : day;
  return today ? `${clock}:${two(date.getSeconds())}` : `${day}, ${clock}`;
}

// The server's clock may differ from this one: the page says what it was when it was made.
const arrived = performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.responseStart ?? 0);
const ahead = Date.parse(document.documentElement.dataset.now) - arrived || 0;

function tick() {
  const now = Date.now() + ahead;
  for (const el of document.querySelectorAll("time[data-age]")) {
    const text = stopwatch((now - Date.parse(el.dateTime)) / 1000);
    if (el.textContent !== text) el.textContent = text;
  }
}

function times(root) {
  for (const el of root.querySelectorAll("time[data-at]")) {
    const date = new Date(el.dateTime);
    el.textContent = local(date, el.dataset.at);
    el.title = date.toLocaleString();
    delete el.dataset.at;
  }
}

times(document);
tick();
setInterval(tick, 1000);
document.addEventListener("htmx:load", (e) => { times(e.target.parentElement ?? e.target); tick(); });
