// The queue: the chosen row is marked at once, and goes into view.
const list = document.getElementById("q-list");

list.addEventListener("click", (e) => {
  const row = e.target.closest(".q-i");
  if (!row || e.ctrlKey || e.metaKey) return;
  for (const other of list.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  row.scrollIntoView({ block: "nearest" });
  list.setAttribute("hx-vals", JSON.stringify({ r: row.id.slice(2) }));
});
