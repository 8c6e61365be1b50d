// The page: evidence, keys, colours, and the beginning of all.

const evidence = {
  // open shows what is told of a cell, and hides what was shown of others.
  open(id, focus) {
    const article = document.getElementById(id);
    if (!article) return;
    const section = article.closest(".scenario");
    for (const other of all(".evidence.open", section)) other.classList.toggle("open", other === article);
    article.classList.add("open");
    for (const a of all(".outcome", section)) a.setAttribute("aria-expanded", String(a.id === "to-" + id));
    if (focus) article.focus({ preventScroll: true });
    if (focus) article.scrollIntoView({ block: "nearest" });
  },
  close() {
    for (const a of all(".evidence.open")) a.classList.remove("open");
    for (const a of all(".outcome[aria-expanded=true]")) {
      a.setAttribute("aria-expanded", "false");
      if (document.activeElement?.classList.contains("evidence")) a.focus();
    }
  },
};

// cells lets the arrow keys go from cell to cell of a matrix.
function cells(section, view) {
  const rows = all(".matrix tbody tr", section).map((tr) => all("td", tr).map((td) => find(".outcome", td)));
  const links = rows.flat().filter(Boolean);
  links.forEach((a, i) => {
    a.tabIndex = i ? -1 : 0;
    a.setAttribute("aria-expanded", String(document.getElementById(a.getAttribute("href").slice(1)).classList.contains("open")));
  });
  const bad = find(".fail .outcome, .error .outcome", section);
  if (bad && !find(".evidence.open", section)) evidence.open(bad.getAttribute("href").slice(1), false);
  const table = find(".matrix", section);
  table.addEventListener("click", (e) => {
    const a = e.target.closest(".outcome");
    if (!a) return;
    e.preventDefault();
    const id = a.getAttribute("href").slice(1);
    if (a.getAttribute("aria-expanded") === "true") return evidence.close();
    evidence.open(id, false);
    const picture = view && view.pictures.find((p) => p === view.all[a.dataset.picture]);
    if (picture) view.point(Number(a.dataset.at) - view.offset(picture), picture);
  });
  table.addEventListener("keydown", (e) => {
    const r = rows.findIndex((row) => row.includes(e.target));
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
    if (r < 0 || !by || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    let [y, x] = [r + by[0], rows[r].indexOf(e.target) + by[1]];
    while (rows[y] && x in rows[y] && !rows[y][x]) [y, x] = [y + by[0], x + by[1]];
    const next = rows[y]?.[x];
    if (!next) return;
    for (const a of links) a.tabIndex = a === next ? 0 : -1;
    next.focus();
  });
}

function themes() {
  const names = ["auto", "light", "dark"];
  const button = find("#theme");
  const set = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    find("span", button).textContent = name;
    button.setAttribute("aria-label", "Colours: " + (name === "auto" ? "as the system has them" : name));
  };
  let now = "auto";
  button.addEventListener("click", () => set((now = names[(names.indexOf(now) + 1) % names.length])));
}

function keys(views) {
  const help = find("#help");
  find("#help-open").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === "Escape") {
      tip.hide();
      if (!help.open) evidence.close();
      return;
    }
    if (e.target.closest("input, select, textarea")) return;
    if (e.key === "?") help.open ? help.close() : help.showModal();
    if (e.key === "/" && views.length) {
      e.preventDefault();
      nearest(views).log.input.focus();
    }
  });
}

// nearest is the view of the scenario that is on the screen, or has the focus.
function nearest(views) {
  const own = views.find((v) => v.section.contains(document.activeElement));
  const top = (v) => Math.abs(v.section.getBoundingClientRect().top - 100);
  return own || views.reduce((a, b) => (top(b) < top(a) && b.section.getBoundingClientRect().top < innerHeight ? b : a));
}

// targets opens what an address or a link points to.
function targets() {
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const details = target.closest("details");
    if (details) details.open = true;
    if (target.classList.contains("evidence")) evidence.open(target.id, true);
    else if (details) target.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", open);
  open();
}

function copying() {
  const button = find("#copy");
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(find("#command").textContent);
    button.textContent = "copied";
  });
}

async function begin() {
  document.documentElement.classList.add("js");
  find("#tools").hidden = false;
  themes();
  copying();
  const views = [];
  keys(views);
  targets();
  const sections = all(".scenario");
  try {
    const data = await load();
    for (const section of sections) {
      const view = new View(section, data);
      view.all = data.pictures;
      views.push(view);
      cells(section, view);
      if (views.length === 1) ready();
      await new Promise((done) => setTimeout(done)); // so that the first answers while the others are made
    }
  } catch (e) {
    const note = find("#failure");
    note.textContent = "The timelines and logs could not be shown: " + e.message;
    note.hidden = false;
    for (const section of sections.slice(views.length)) cells(section, null);
    throw e;
  }
  document.documentElement.dataset.complete = "";
}

// ready notes when the first scenario could be used, in milliseconds.
function ready() {
  requestAnimationFrame(() => setTimeout(() => {
    document.documentElement.dataset.ready = performance.now().toFixed(0);
  }));
}

begin();
