// Diffs side by side, laid out in the page from the rows that the server drew: removed lines on the left, added ones on the
// right. The choice holds for every diff and is remembered; under 760 px diffs stay unified.
const body = document.body;
const wide = matchMedia("(min-width: 760px)");
const stored = () => { try { return localStorage.getItem("diff") ?? "unified"; } catch { return "unified"; } };

const cell = (from, css) => { const td = from.cloneNode(true); td.className = `${td.className} ${css}`.trim(); return td; };
const none = (css) => { const td = document.createElement("td"); td.className = `${css} none`; return td; };

function half(row, side, changed) {
  if (!row) return [none("ln"), none("c")];
  const css = changed ? (side === 0 ? "d" : "a") : "";
  const text = cell(row.cells[3], css);
  const said = row.cells[2].querySelector(".sr");
  if (changed && said) text.prepend(said.cloneNode(true));
  return [cell(row.cells[side], css), text];
}

function split(table) {
  const sbs = document.createElement("table");
  sbs.className = "diff sbs";
  sbs.innerHTML = '<colgroup><col class="n"><col><col class="n"><col></colgroup><tbody></tbody>';
  const out = sbs.tBodies[0];
  let left = [], right = [];
  const flush = () => {
    for (let n = 0; n < Math.max(left.length, right.length); n++) out.insertRow().append(...half(left[n], 0, true), ...half(right[n], 1, true));
    left = []; right = [];
  };
  for (const row of table.rows) {
    if (row.classList.contains("d")) left.push(row);
    else if (row.classList.contains("a")) right.push(row);
    else {
      flush();
      if (row.classList.contains("x")) out.append(row.cloneNode(true));
      else out.insertRow().append(...half(row, 0, false), ...half(row, 1, false));
    }
  }
  flush();
  return sbs;
}

function lay(root) {
  const layout = wide.matches ? stored() : "unified";
  for (const box of root.querySelectorAll(".diff-w")) {
    const unified = box.querySelector("table.diff:not(.sbs)");
    box.querySelector("table.sbs")?.remove();
    unified.hidden = layout === "split";
    if (layout === "split") box.append(split(unified));
  }
  for (const button of document.querySelectorAll("[data-layout]")) button.ariaPressed = String(button.dataset.layout === stored());
}

body.addEventListener("click", (e) => {
  const button = e.target.closest("[data-layout]");
  if (!button) return;
  try { localStorage.setItem("diff", button.dataset.layout); } catch { /* private */ }
  lay(document);
});
wide.addEventListener("change", () => lay(document));
document.addEventListener("htmx:load", (e) => { if (stored() === "split") lay(e.target); });
if (stored() === "split") lay(document);
