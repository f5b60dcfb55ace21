// Small manners of every page: troubles are told in place, the dialog opens when it has content, Copy copies.
const body = document.body;
const trouble = document.getElementById("trouble");
const dialog = document.getElementById("dialog");

// The line nearest to what was pressed that is there for troubles.
function saysOf(element) {
  for (let at = element; at && at !== body; at = at.parentElement) {
    const says = at.querySelector(":scope > .says, :scope > * > .says, :scope > * > * > .says");
    if (says) return says;
  }
  return null;
}
function tell(text) {
  trouble.textContent = text;
  trouble.hidden = false;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { trouble.hidden = true; }, 12000);
}

body.addEventListener("htmx:beforeRequest", (e) => { const says = saysOf(e.target); if (says) says.textContent = ""; });
body.addEventListener("htmx:beforeSwap", (e) => {
  const { status } = e.detail.xhr;
  // the socket was quicker and has replaced what was pressed: it stands there already
  if (status < 400 && !e.detail.requestConfig.elt.isConnected) { e.detail.shouldSwap = false; return; }
  if (status !== 409 && status !== 422) return;
  const says = saysOf(e.detail.requestConfig.elt);
  if (!says) { tell(new DOMParser().parseFromString(e.detail.xhr.responseText, "text/html").body.textContent.trim()); e.detail.shouldSwap = false; return; }
  e.detail.target = says;
  e.detail.swapOverride = "innerHTML";
  e.detail.shouldSwap = true;
});
body.addEventListener("htmx:responseError", (e) => {
  const { status } = e.detail.xhr;
  if (status === 409 || status === 422) return;
  tell(status === 403 ? "The page is too old or this is not allowed. Load it again." : status === 404 ? "That is gone." : status === 413 ? "That is too large." : `The workbench answered with an error (${status}). Its log says why.`);
});
body.addEventListener("htmx:sendError", (e) => "quiet" in e.detail.elt.dataset || tell("The workbench can't be reached. Nothing was sent; try again when it runs."));

body.addEventListener("htmx:afterSwap", (e) => {
  if (e.detail.target === dialog && dialog.childElementCount && !dialog.open) dialog.showModal();
});
body.addEventListener("wb:rolled-back", (e) => {
  dialog.close();
  if (location.pathname.startsWith("/changes/") || location.pathname.startsWith("/history/")) {
    location.assign(e.detail.version ? `/changes/${e.detail.version}/` : location.href);
  }
});
dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => dialog.replaceChildren());

body.addEventListener("click", async (e) => {
  const button = e.target.closest("[data-copy]");
  if (!button) return;
  const from = button.closest("article, section")?.querySelectorAll(`.${button.dataset.copy}`) ?? [];
  const text = [...from].map((el) => el.innerText).join("\n");
  try {
    await navigator.clipboard.writeText(text);
    button.lastChild.textContent = "Copied";
  } catch {
    tell("The browser does not allow copying here.");
  }
});
