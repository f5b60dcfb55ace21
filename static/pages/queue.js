// The queue: the chosen row is marked at once, goes into view, and stays chosen when the list is asked for anew.
const list = document.getElementById("q-list");

list.addEventListener("click", (e) => {
  const row = e.target.closest(".q-i");
  if (!row || e.ctrlKey || e.metaKey) return;
  for (const other of list.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  row.scrollIntoView({ block: "nearest" });
});

list.addEventListener("htmx:configRequest", (e) => {
  if (e.target !== list) return;
  e.detail.parameters.set("r", list.querySelector("[aria-current]")?.id.slice(2) ?? "");
});
