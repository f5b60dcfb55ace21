// A question: an option is taken with Enter, and words of one's own put the options aside.
const body = document.body;

body.addEventListener("keydown", (e) => {
  if (e.key !== "Enter" || e.isComposing) return;
  const form = e.target.closest?.(".ask-b[data-request]");
  if (!form || (e.target.matches("textarea") && e.shiftKey)) return;
  if (e.target.matches("textarea") ? e.target.value.trim() : e.target.matches('input[type="radio"]')) {
    e.preventDefault();
    form.requestSubmit();
  }
});
body.addEventListener("input", (e) => {
  const form = e.target.closest?.(".ask-b[data-request]");
  if (!form) return;
  if (e.target.matches("textarea") && e.target.value.trim()) {
    for (const option of form.querySelectorAll('input[name="choice"]')) option.checked = false;
  } else if (e.target.matches('input[name="choice"]')) {
    form.querySelector("textarea").value = "";
  }
});
