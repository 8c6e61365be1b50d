// The views of a scenario: its timelines on one axis, its log, its snapshots.
// Times of a view are aligned: seconds since the moment that was chosen.

class View {
  constructor(section, data) {
    this.section = section;
    this.pictures = section.dataset.pictures.split(" ").filter(Boolean).map((i) => data.pictures[i]);
    this.notes = new Map(data.clusters.map((c) => [c.name, c.notes || []]));
    this.color = colors(this.pictures);
    this.anchors = new Map(this.pictures.map((p) => [p, anchors(p)]));
    this.show = { conditions: innerWidth > 640, events: true, lines: true, objects: true, pods: 8 };
    this.align = "";
    this.cursor = null;
    this.timelines = this.pictures.map((p, i) => new Timeline(this, p, section.id + "-" + i));
    this.log = new LogView(this);
    this.build();
    this.whole();
  }

  build() {
    const place = find(".views", this.section);
    this.readout = html("div", { class: "readout" });
    const left = html("div", { class: "view" }, html("h3", {}, "Timelines"), this.toolbar(), this.readout, ...this.timelines.map((t) => t.element), legend());
    place.append(left, html("div", { class: "view beside" }, this.log.element));
    place.after(snapshots(this.pictures));
    place.hidden = false;
    let before = 0;
    new ResizeObserver(() => {
      const width = left.clientWidth;
      if (width !== before) this.draw();
      before = width;
    }).observe(left);
    this.read();
  }

  toolbar() {
    const button = (text, label, act) => html("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const box = (name, text) =>
      html("label", {}, html("input", { type: "checkbox", checked: this.show[name], onchange: (e) => ((this.show[name] = e.target.checked), this.anew()) }), text);
    const names = new Set(this.pictures.flatMap((p) => [...this.anchors.get(p).keys()]));
    const align = html("select", { class: "align", onchange: (e) => this.alignTo(e.target.value) },
      html("option", { value: "" }, "the scenario’s begin"), ...[...names].map((n) => html("option", { value: n }, n)));
    const most = Math.max(0, ...this.pictures.map((p) => p.pods.length));
    const bar = html("div", { class: "bar" },
      html("label", { class: "wide" }, "aligned at", align),
      button("−", "Zoom out", () => this.zoom(2)), button("+", "Zoom in", () => this.zoom(0.5)), button("all", "Show all of the time", () => this.whole()),
      button("◀", "Earlier", () => this.pan((this.from - this.to) / 4)), button("▶", "Later", () => this.pan((this.to - this.from) / 4)),
      box("conditions", "conditions"), box("events", "events"), box("lines", "log ticks"), box("objects", "objects"));
    if (most > this.show.pods) {
      bar.append(html("label", {}, html("input", { type: "checkbox", onchange: (e) => ((this.show.pods = e.target.checked ? Infinity : 8), this.anew()) }), `all ${most} pods`));
    }
    return bar;
  }

  // offset is the time of a picture at which its clusters' axis has its zero.
  offset(picture) {
    return this.anchors.get(picture).get(this.align) ?? 0;
  }

  alignTo(name) {
    this.align = name;
    this.cursor = null;
    this.whole();
    this.read();
    this.log.refresh();
    say(name ? "aligned at: " + name : "aligned at the scenario’s begin");
  }

  // bounds are the first and the last moment of all clusters.
  bounds() {
    const from = Math.min(0, ...this.pictures.map((p) => -this.offset(p)));
    const to = Math.max(...this.pictures.map((p) => Math.max(p.seconds, ...p.steps.map((s) => s.ended_at)) - this.offset(p)));
    const span = Math.max(to - from, 1e-3);
    return [from - span * 0.01, to + span * 0.04];
  }

  whole() {
    [this.from, this.to] = this.bounds();
    this.draw();
  }

  // range shows a stretch, never further away from all of it than there is.
  range(from, to) {
    const [first, last] = this.bounds();
    const span = Math.min(Math.max(to - from, 1e-6), last - first);
    this.from = Math.min(Math.max(from, first), last - span);
    this.to = this.from + span;
    this.draw();
  }

  zoom(by, at = this.cursor !== null && this.cursor > this.from && this.cursor < this.to ? this.cursor : (this.from + this.to) / 2) {
    this.range(at - (at - this.from) * by, at + (this.to - at) * by);
  }

  pan(by) {
    this.range(this.from + by, this.to + by);
  }

  // anew draws other rows.
  anew() {
    for (const t of this.timelines) t.rows = null;
    this.draw();
  }

  // draw draws all timelines anew at the next frame, once.
  draw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      for (const t of this.timelines) {
        t.hold();
        t.draw();
      }
    });
  }

  // point puts the cursor at a moment; the log goes there.
  point(at, picture) {
    this.at(at);
    this.log.goTo(at, picture);
  }

  // at puts the cursor at a moment that is brought into sight.
  at(at) {
    this.cursor = at;
    if (at < this.from || at > this.to) this.range(at - (this.to - this.from) / 2, at + (this.to - this.from) / 2);
    this.draw();
    this.read();
  }

  // read says where the cursor is.
  read() {
    if (this.cursor === null) {
      this.readout.replaceChildren(html("small", {}, "Click a timeline or a log line to set the cursor."));
      return;
    }
    const of = this.align ? " of the alignment" : "";
    this.readout.replaceChildren(html("span", {}, "cursor at ", html("code", {}, seconds(this.cursor, 1)), of),
      html("button", { type: "button", class: "to-log", onclick: () => this.log.element.scrollIntoView({ block: "nearest" }) }, "log line"),
      html("button", { type: "button", onclick: () => ((this.cursor = null), this.draw(), this.read()) }, "clear"));
  }
}

// legend says what the shapes mean.
function legend() {
  const entry = (name, ...shapes) => html("span", {}, svg("svg", { class: "timeline", viewBox: "0 0 26 12", "aria-hidden": "true" }, ...shapes), name);
  const bar = (kind) => [svg("rect", { class: kind + " item", x: 1, y: 1, width: 24, height: 10 }),
    svg("rect", { class: "pattern", x: 1, y: 1, width: 24, height: 10, fill: kind === "main" ? "none" : `url(#${kind}-pattern)` })];
  const shape = (name, cls) => svg("path", { class: "item " + cls, d: path(name, 13, name === "up" ? 9 : 6) });
  return html("div", { class: "key timeline", "aria-label": "What the shapes mean" },
    entry("init container", ...bar("init")), entry("sidecar", ...bar("sidecar")), entry("main", ...bar("main")), entry("ephemeral", ...bar("ephemeral")),
    entry("ready", shape("up", "ready")), entry("to be ended", shape("cross", "killing")), entry("gone", shape("stop", "gone")),
    entry("event (a hint)", shape("diamond", "event")), entry("warning event", shape("warning", "warning")),
    entry("not seen (gap)", svg("rect", { class: "gap", x: 1, y: 1, width: 24, height: 10 })),
    entry("still running", svg("path", { class: "item status", d: "M1 1h18l6 5l-6 5h-18z" })));
}
