// The entry of the page that is shown is in sight at the side.
document.addEventListener("DOMContentLoaded", () => {
  const side = document.querySelector(".sidebar-scroll");
  const entry = side?.querySelector("li.current-page");
  if (!entry) return;
  const below = entry.getBoundingClientRect().bottom - side.getBoundingClientRect().bottom;
  if (below > 0) side.scrollTo({ top: below + side.clientHeight / 2, behavior: "instant" });
});
