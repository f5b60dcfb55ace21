// An open request: Edit and Reject open their fields; Approve waits until all of the request was in view; after a decision
// the focus goes to the next request.
const body = document.body;

function step(form, name) {
  const [edit, say] = [form.querySelector(".edit"), form.querySelector(".ap-say")];
  edit.hidden = edit.disabled = name !== "edit";
  say.hidden = say.querySelector("textarea").disabled = name !== "reject";
  for (const button of form.querySelectorAll(".ap-act [data-key]")) {
    button.hidden = name !== "";
    if (button.ariaExpanded !== null) button.ariaExpanded = String(name !== "");
  }
  for (const button of form.querySelectorAll(".ap-act [data-step]")) {
    button.hidden = button.dataset.step === "back" ? name === "" : button.dataset.step !== name;
  }
  const field = name === "edit" ? edit.querySelector("textarea") : name === "reject" ? say.querySelector("textarea") : null;
  (field ?? form.closest("article"))?.focus();
}

body.addEventListener("click", (e) => {
  const button = e.target.closest(".ap-act button");
  if (!button) return;
  const form = button.closest("form");
  if (button.dataset.key === "e") step(form, "edit");
  if (button.dataset.key === "r") step(form, "reject");
  if (button.dataset.step === "back") step(form, "");
});
body.addEventListener("keydown", (e) => {
  const form = e.target.closest?.(".ap-form");
  if (!form) return;
  if (e.key === "Escape") { step(form, ""); e.preventDefault(); }
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
    form.querySelector("[data-step]:not([hidden]):not([data-step=back])")?.click();
    e.preventDefault();
  }
});

// Which fields differ from what was asked for.
body.addEventListener("input", (e) => {
  const edit = e.target.closest(".edit");
  if (!edit) return;
  e.target.classList.toggle("changed", e.target.value !== e.target.defaultValue);
  const fields = [...edit.querySelectorAll("textarea")];
  const changed = fields.filter((f) => f.value !== f.defaultValue).length;
  edit.querySelector("[data-changed]").textContent = changed ? `${changed} of ${fields.length} changed` : "";
});

// Nothing is approved unseen: until the end of a long request was on the screen, Approve is off.
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    const approve = target.closest("article").querySelector('[data-key="a"]');
    if (approve) { approve.disabled = false; approve.removeAttribute("title"); }
  }
});
function guard(root) {
  for (const end of root.querySelectorAll(".ap-end")) {
    const card = end.closest("article"), approve = card.querySelector('[data-key="a"]');
    if (!approve || card.dataset.guarded) continue;
    card.dataset.guarded = "yes";
    if (end.offsetTop - card.offsetTop < innerHeight * 0.7) continue;
    approve.disabled = true;
    approve.title = "Scroll to the end of the request first";
    seen.observe(end);
  }
}
guard(document);
document.addEventListener("htmx:load", (e) => guard(e.target.parentElement ?? document));

// After a decision: the next open request, else the page. Never a button of it. The socket may be quicker than the answer
// and take the form away, so both tell that it is done.
let decided = "";
body.addEventListener("htmx:beforeRequest", (e) => {
  if (e.target.matches?.(".ap-form, .ask-b")) decided = e.target.closest("[data-request]").dataset.request;
});
function onwards() {
  if (!decided || document.querySelector(`[data-request="${decided}"]`)) return;
  decided = "";
  setTimeout(() => {
    const next = document.querySelector("[data-request]");
    (next?.closest("article") ?? document.getElementById("main"))?.focus({ preventScroll: true });
    next?.closest("article").scrollIntoView({ block: "nearest" });
  }, 60);
}
body.addEventListener("htmx:afterRequest", (e) => { if (!e.detail.successful) decided = ""; else onwards(); });
body.addEventListener("htmx:wsAfterMessage", onwards);
