// Fields for a task or a message: they grow with the text, Ctrl+Enter sends, and they are emptied only once it arrived.
const body = document.body;

const grow = (field) => { field.style.height = "auto"; field.style.height = `${Math.min(field.scrollHeight, innerHeight * 0.4)}px`; };

body.addEventListener("input", (e) => {
  const form = e.target.closest("[data-composer]");
  if (form && e.target.matches("textarea")) grow(e.target);
  if (e.target.id === "ws") workspace(e.target);
});
body.addEventListener("keydown", (e) => {
  const form = e.target.closest?.("[data-composer]");
  if (form && e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(); }
});
body.addEventListener("htmx:afterRequest", (e) => {
  if (!e.target.matches?.("[data-composer]") || !e.detail.successful) return;
  const field = e.target.querySelector("textarea");
  field.value = "";
  grow(field);
});

function workspace(select) {
  const folder = document.getElementById("folder");
  folder.hidden = select.value !== "other";
  folder.required = !folder.hidden;
  if (!folder.hidden) folder.focus();
}
const ws = document.getElementById("ws");
if (ws) { const folder = document.getElementById("folder"); folder.hidden = ws.value !== "other"; folder.required = !folder.hidden; }
