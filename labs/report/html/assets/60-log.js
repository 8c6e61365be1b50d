// The log of a scenario: the lines of all clusters in the order of their
// aligned times. Only the lines in sight are elements.

const entryHeight = 20;

class LogView {
  constructor(view) {
    this.view = view;
    this.filter = { text: "", cluster: "", container: "", stream: "" };
    this.chosen = -1;
    this.count = html("span", { class: "count", role: "status" });
    this.space = html("div", { class: "space" });
    this.box = html("div", { class: "log", role: "listbox", tabindex: "0", "aria-label": `Log lines of ${view.section.id}` }, this.space);
    this.detail = html("div", { class: "detail", hidden: true });
    this.element = html("div", {}, html("h3", {}, "Log"), this.bar(), this.box, this.detail);
    this.box.addEventListener("scroll", () => this.later());
    this.box.addEventListener("click", (e) => this.click(e));
    this.box.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.later()).observe(this.box);
    this.refresh();
  }

  bar() {
    const select = (name, label, values) => {
      const list = [...new Set(values)];
      return html("label", {}, label, html("select", { "data-filter": name, onchange: (e) => this.set(name, e.target.value) },
        html("option", { value: "" }, "all"), ...list.map((v) => html("option", { value: v }, v))));
    };
    const pictures = this.view.pictures;
    this.input = html("input", {
      type: "search", placeholder: "text or /regexp/", "aria-label": "Filter the log lines: text, or /regexp/", "aria-keyshortcuts": "/", spellcheck: "false",
      oninput: (e) => this.set("text", e.target.value),
    });
    return html("div", { class: "bar" }, this.input,
      select("cluster", "cluster", pictures.map((p) => p.cluster)),
      select("container", "container", pictures.flatMap((p) => p.pods.flatMap((pod) => pod.containers.map((c) => pod.title + "/" + c.name)))),
      select("stream", "stream", pictures.flatMap((p) => p.lines.from.map((f) => f.stream)).filter(Boolean)), this.count);
  }

  set(name, value) {
    this.filter[name] = value;
    this.refresh();
  }

  // matcher tells whether a text is what the filter asks for; null where the
  // regular expression is none.
  matcher() {
    const text = this.filter.text;
    const expression = /^\/(.+?)\/?(i?)$/s.exec(text);
    this.input.removeAttribute("aria-invalid");
    if (expression) {
      try {
        const re = new RegExp(expression[1], expression[2]);
        return (line) => re.test(line);
      } catch {
        this.input.setAttribute("aria-invalid", "true");
        return null;
      }
    }
    const low = text.toLowerCase();
    return low ? (line) => line.toLowerCase().includes(low) : () => true;
  }

  // owner says of which container lines are.
  owner(picture, from) {
    const pod = picture.pods[from.pod];
    const c = pod?.containers[from.container];
    return { name: c ? pod.title + "/" + c.name : "", short: c ? c.name : "", color: c ? this.view.color(pod, c) : "c7" };
  }

  // refresh finds the lines that are shown.
  refresh() {
    const matches = this.matcher();
    if (!matches) {
      this.count.textContent = "that is no regular expression";
      return;
    }
    const { cluster, container, stream } = this.filter;
    let total = 0;
    this.owners = new Map();
    const parts = [];
    for (const picture of this.view.pictures) {
      const { of, text, at, from } = picture.lines;
      total += at.length;
      const owners = from.map((f) => this.owner(picture, f));
      this.owners.set(picture, owners);
      if (cluster && picture.cluster !== cluster) continue;
      const wanted = from.map((f, i) => (!container || owners[i].name === container) && (!stream || f.stream === stream));
      const lines = [];
      for (let i = 0; i < at.length; i++) if (wanted[of[i]] && matches(text[i])) lines.push(i);
      parts.push({ picture, lines, offset: this.view.offset(picture) });
    }
    this.found = merged(parts);
    this.times = this.found.times;
    const found = this.times;
    const omitted = this.view.pictures.reduce((n, p) => n + (p.omitted_lines || 0), 0);
    this.count.textContent = `${found.length.toLocaleString("en")} of ${total.toLocaleString("en")} lines` + (omitted ? `; ${omitted.toLocaleString("en")} more are not on this page` : "");
    this.space.style.height = found.length * entryHeight + "px";
    this.chosen = -1;
    this.detail.hidden = true;
    this.later();
  }

  // line is the n-th of the lines that are shown.
  line(n) {
    const part = this.found.parts[this.found.part[n]];
    return { picture: part.picture, i: this.found.index[n], at: this.times[n] };
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / entryHeight) - 10);
    const last = Math.min(this.times.length, first + Math.ceil(this.box.clientHeight / entryHeight) + 20);
    const entries = [];
    for (let n = first; n < last; n++) entries.push(this.entry(n));
    if (!this.times.length) entries.push(html("p", { class: "count" }, "No line is so."));
    this.space.replaceChildren(...entries);
    if (this.chosen >= first && this.chosen < last) this.box.setAttribute("aria-activedescendant", this.id(this.chosen));
    else this.box.removeAttribute("aria-activedescendant");
  }

  id(n) {
    return `${this.view.section.id}-line-${n}`;
  }

  entry(n) {
    const { picture, i, at } = this.line(n);
    const from = picture.lines.from[picture.lines.of[i]];
    const owner = this.owners.get(picture)[picture.lines.of[i]];
    const chosen = n === this.chosen;
    const el = html("div", {
      class: `entry ${owner.color} ${from.stream}${chosen ? " chosen" : ""}`, role: "option", id: this.id(n), "aria-selected": String(chosen),
      "aria-posinset": n + 1, "aria-setsize": this.times.length, "data-n": n,
    },
    html("span", { class: "at" }, at.toFixed(3).padStart(8)), html("span", { class: "from" }, `${picture.cluster} ${owner.short}`),
    html("span", { class: "text" }, ...this.marked(picture.lines.text[i].slice(0, 500))));
    el.style.top = n * entryHeight + "px";
    return el;
  }

  // marked is a text in which what was looked for stands out.
  marked(text) {
    const low = this.filter.text.toLowerCase();
    const at = low && !low.startsWith("/") ? text.toLowerCase().indexOf(low) : -1;
    if (at < 0) return [text];
    return [text.slice(0, at), html("mark", {}, text.slice(at, at + low.length)), text.slice(at + low.length)];
  }

  click(e) {
    const entry = e.target.closest("[data-n]");
    if (entry) this.choose(Number(entry.dataset.n));
  }

  // choose marks a line, shows all of it, and puts the cursor at it.
  choose(n) {
    this.chosen = n;
    const { picture, i, at } = this.line(n);
    const from = picture.lines.from[picture.lines.of[i]];
    const owner = this.owners.get(picture)[picture.lines.of[i]];
    const about = [`${seconds(picture.lines.at[i], 1)} by the log, known to 1 ns`, picture.cluster, owner.name, from.stream, from.run ? `run ${from.run + 1}` : "", from.cut ? "cut: the line was longer" : ""];
    const show = html("button", { type: "button", onclick: () => this.timeline(picture).element.scrollIntoView({ block: "center" }) }, "show on the timeline");
    this.detail.replaceChildren(html("small", {}, about.filter(Boolean).join(" · ")), " ", show, html("pre", {}, picture.lines.text[i]));
    this.detail.hidden = false;
    this.view.at(at);
    this.sight(n);
    this.later();
  }

  timeline(picture) {
    return this.view.timelines.find((t) => t.picture === picture);
  }

  // goTo brings the line at a moment into sight: the first of the cluster that
  // is not before it, or else of any.
  goTo(at, picture) {
    if (!this.times.length) return;
    let n = Math.min(firstAfter(this.times, at), this.times.length - 1);
    for (let m = n; m < this.times.length; m++) {
      if (this.line(m).picture === picture) {
        n = m;
        break;
      }
    }
    this.chosen = n;
    this.detail.hidden = true;
    this.box.scrollTop = n * entryHeight - this.box.clientHeight / 2;
    this.later();
  }

  // sight scrolls as little as it takes to see a line.
  sight(n) {
    const top = n * entryHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + entryHeight > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + entryHeight - this.box.clientHeight;
  }

  key(e) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / entryHeight) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[e.key];
    if (by === undefined || !this.times.length || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    this.choose(Math.max(0, Math.min(this.times.length - 1, this.chosen < 0 && Math.abs(by) === 1 ? 0 : this.chosen + by)));
  }
}

// merged puts the lines of several clusters in one order, in columns: of which
// part a line is, its index there, its aligned time.
function merged(parts) {
  const total = parts.reduce((n, p) => n + p.lines.length, 0);
  const out = { parts, part: new Uint16Array(total), index: new Uint32Array(total), times: new Float64Array(total) };
  const next = parts.map(() => 0);
  const time = parts.map((p) => (p.lines.length ? p.picture.lines.at[p.lines[0]] - p.offset : Infinity));
  for (let n = 0; n < total; n++) {
    let k = 0;
    for (let i = 1; i < parts.length; i++) if (time[i] < time[k]) k = i;
    const { picture, lines, offset } = parts[k];
    out.part[n] = k;
    out.index[n] = lines[next[k]];
    out.times[n] = time[k];
    next[k]++;
    time[k] = next[k] < lines.length ? picture.lines.at[lines[next[k]]] - offset : Infinity;
  }
  return out;
}
