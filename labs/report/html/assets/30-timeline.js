// A timeline: the rows of one picture on an axis that all clusters of the
// scenario share.

const gutterWide = 206;
const closest = 4; // marks nearer than so many pixels are drawn as one

class Timeline {
  constructor(view, picture, index) {
    this.view = view;
    this.picture = picture;
    this.svg = svg("svg", { role: "group", tabindex: "-1", focusable: "true", "aria-label": `Timeline of ${picture.scenario} on ${picture.cluster}` });
    this.note = html("small", {});
    const notes = (view.notes.get(picture.cluster) || []).join(" ");
    this.element = html("div", { class: "timeline", id: `timeline-${index}` },
      html("h4", {}, picture.cluster, html("small", {}, notes), this.note), this.svg);
    this.focus = null;
    this.listen();
  }

  get offset() {
    return this.view.offset(this.picture);
  }

  x(at) {
    const { from, to } = this.view;
    return this.gutter + ((at - this.offset - from) / (to - from)) * this.width;
  }

  time(x) {
    const { from, to } = this.view;
    return from + ((x - this.gutter) / this.width) * (to - from) + this.offset;
  }

  draw() {
    const total = Math.max(280, this.element.clientWidth || 280) - 2;
    this.narrow = total < 560;
    this.gutter = this.narrow ? 6 : gutterWide;
    this.width = total - this.gutter - 12;
    this.marks = [];
    this.rows ||= rowsOf(this.picture, this.view.show, this.view.color);
    const layer = svg("g", { "clip-path": `url(#${this.element.id}-clip)` });
    const labels = svg("g", {});
    let y = 22;
    const tops = [];
    this.rows.forEach((row, r) => {
      const top = y;
      y = this.row(layer, labels, row, r, y);
      tops.push([top, y]);
    });
    const height = y + 6;
    this.svg.setAttribute("viewBox", `0 0 ${total} ${height}`);
    this.svg.setAttribute("height", height);
    this.svg.replaceChildren(this.defs(total, height), this.grid(height), this.gaps(height), layer, labels, this.cursor(height));
    const aligned = this.view.align === "" || this.view.anchors.get(this.picture).has(this.view.align);
    this.note.textContent = aligned ? "" : "– no such event here: aligned at the scenario’s begin";
    this.restore();
  }

  defs(total, height) {
    const pattern = (id, ...shapes) =>
      svg("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" }, ...shapes);
    const clip = svg("clipPath", { id: this.element.id + "-clip" },
      svg("rect", { x: this.gutter - 1, y: 0, width: total - this.gutter + 1, height }));
    if (find("#init-pattern")) return svg("defs", {}, clip);
    return svg("defs", {}, clip,
      pattern("init-pattern", svg("path", { d: "M-2 10L10 -2M-2 2L2 -2M6 10L10 6", class: "ink" })),
      pattern("sidecar-pattern", svg("circle", { cx: 2, cy: 2, r: 1.3, class: "dot" }), svg("circle", { cx: 6, cy: 6, r: 1.3, class: "dot" })),
      pattern("ephemeral-pattern", svg("path", { d: "M0 0L8 8M8 0L0 8", class: "ink" })),
      pattern("gap-pattern", svg("path", { d: "M-2 2L2 -2M-2 10L10 -2M6 10L10 6", class: "gap-line" })));
  }

  grid(height) {
    const g = svg("g", { "aria-hidden": "true" });
    const { from, to } = this.view;
    const wanted = (to - from) / Math.max(2, this.width / 80);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted) || wanted;
    const places = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
    for (let n = Math.ceil(from / step); n * step <= to; n++) {
      const x = this.x(n * step + this.offset);
      g.append(svg("line", { class: "grid", x1: x, x2: x, y1: 18, y2: height }),
        svg("text", { class: "faint", x, y: 13, "text-anchor": "middle" }, (n * step).toFixed(places) + " s"));
    }
    return g;
  }

  // gaps shade all rows where a whole source saw nothing.
  gaps(height) {
    const g = svg("g", { "aria-hidden": "true", opacity: ".22", "clip-path": `url(#${this.element.id}-clip)` });
    for (const gap of this.picture.gaps) {
      const x = this.x(gap.from);
      g.append(svg("rect", { class: "gap", x, y: 18, width: Math.max(2, this.x(gap.to) - x), height: height - 18 }));
    }
    return g;
  }

  cursor(height) {
    const g = svg("g", { class: "cursor-layer" });
    const { cursor, from, to } = this.view;
    if (cursor === null || cursor < from || cursor > to) return g;
    const x = this.x(cursor + this.offset);
    g.append(svg("line", { class: "cursor", x1: x, x2: x, y1: 16, y2: height }));
    return g;
  }

  // row draws a row from y on and returns where the next one begins.
  row(layer, labels, row, r, y) {
    const bar = row.thin ? 10 : 15;
    const shown = this.visible(row);
    const lanes = row.stack ? stacked(shown, this.gutter + this.width) : 1;
    if (this.narrow) y += 13;
    const middle = this.narrow ? y - 3 : y + bar / 2 + 4;
    const text = svg("text", { x: this.narrow ? 4 : 22, y: middle, class: (row.cls || "") + (row.thin ? " thin" : "") }, this.label(row));
    if (this.narrow) text.classList.add("halo");
    if (row.title || row.label !== text.textContent) text.append(svg("title", {}, row.title || row.label));
    if (row.swatch) {
      const at = this.narrow ? { x: 4, y: y - 11 } : { x: 7, y: middle - 9 };
      labels.append(svg("g", { class: row.swatch }, svg("rect", { class: "swatch", ...at, width: 9, height: 9 })));
      if (this.narrow) text.setAttribute("x", 17);
    }
    labels.append(text);
    if (row.empty && !row.items.length) layer.append(svg("text", { x: this.gutter + 4, y: y + bar - 4, class: "faint" }, row.empty));
    shown.forEach((item) => layer.append(this.item(item, row, r, y + (item.lane || 0) * (bar + 3), bar)));
    y += lanes * (bar + 3);
    if (row.ticks && this.view.show.lines) {
      this.ticks(layer, row, y);
      y += 9;
    }
    return y + (row.thin ? 1 : 4);
  }

  label(row) {
    const room = this.narrow ? 60 : 30;
    const kind = row.kind && row.kind !== "main" ? ` (${row.kind})` : "";
    const left = room - kind.length;
    const name = row.label.length > left ? row.label.slice(0, left / 2) + "…" + row.label.slice(row.label.length - left / 2 + 2) : row.label;
    return name + kind;
  }

  // visible are a row's items that can be seen; small ones that are too near
  // to one another become one.
  visible(row) {
    const out = [];
    let group = null;
    for (const item of row.items) {
      const x = this.x(item.from);
      const end = item.to === undefined ? x : this.x(item.to);
      if (end < this.gutter - 8 || x > this.gutter + this.width + 8) continue;
      const small = item.shape !== "bar" ? item.group : end - x < 2 && !row.stack;
      if (small && group && x - group.x < closest && (group.shape === "bar") === (item.shape === "bar")) {
        group.many.push(item);
        if (item.cls.includes("warning")) group.cls = item.cls;
        continue;
      }
      const drawn = { ...item, x, end };
      if (small) {
        drawn.many = [item];
        group = drawn;
      }
      const before = out[out.length - 1];
      if (before && before.shape === "bar" && drawn.shape === "bar") before.next = x;
      out.push(drawn);
    }
    return out;
  }

  item(item, row, r, y, bar) {
    const lines = item.many && item.many.length > 1 ? together(item.many) : item.tell();
    const g = svg("g", {});
    const attributes = { class: `item ${item.cls}`, tabindex: "-1", role: "img", "aria-label": lines.join("; "), "data-mark": this.marks.length };
    const shape = item.shape === "bar" ? this.bar(item, y, bar, attributes) : svg("path", { ...attributes, d: path(item.shape, item.x, y + bar / 2) });
    if (item.many && item.many.length > 1) shape.setAttribute("stroke-width", "3");
    this.marks.push({ row: r, at: item.from, lines, evidence: item.evidence, element: shape, key: `${row.id}/${item.from}/${item.shape}/${item.cls}` });
    g.append(shape);
    if (item.shape === "bar") this.inside(g, item, y, bar);
    return g;
  }

  bar(item, y, height, attributes) {
    const x = Math.max(item.x, this.gutter - 20);
    const width = Math.max(2, Math.min(item.end, this.gutter + this.width + 30) - x);
    if (!item.open) return svg("rect", { ...attributes, x, y, width, height });
    // what still goes on ends in a point
    const tip = Math.min(6, width / 2);
    return svg("path", { ...attributes, d: `M${x} ${y}h${width - tip}l${tip} ${height / 2}l${-tip} ${height / 2}h${tip - width}z` });
  }

  // inside writes a bar's pattern, its text and what stands after it.
  inside(g, item, y, height) {
    const x = Math.max(item.x, this.gutter);
    const width = Math.min(item.end, this.gutter + this.width + 12) - x;
    if (item.kind && item.kind !== "main" && kinds[item.kind]) {
      g.append(svg("rect", { class: "pattern", x, y, width: Math.max(2, width), height, fill: `url(#${item.kind}-pattern)` }));
    }
    if (item.unseen) g.append(svg("text", { x: x - 9, y: y + height - 3 }, "?"));
    const room = Math.floor((width - 6) / 6);
    if (item.beside) {
      const before = item.beside === "before";
      g.append(svg("text", { x: before ? item.x - 4 : item.end + 4, y: y + height - 4, class: "halo", "text-anchor": before ? "end" : "start" }, shortened(item.text)));
    } else if (item.text && height > 10 && room >= 3) {
      const text = item.text.length > room ? item.text.slice(0, room - 1) + "…" : item.text;
      g.append(svg("text", { x: x + 3, y: y + height - 4 }, text));
    }
    const needs = item.after ? item.after.length * 7 + 6 : 0;
    const after = Math.min(item.next ?? Infinity, this.gutter + this.width + 12) - item.end;
    if (!needs || (needs > after && needs > width)) return;
    const over = needs > after;
    g.append(svg("text", { x: over ? item.end - 4 : item.end + 4, y: y + height - 3, class: "halo", "text-anchor": over ? "end" : "start" }, item.after));
  }

  // ticks draws a container's log lines: one tick for each pixel that has any.
  ticks(layer, row, y) {
    const lines = this.picture.lines;
    const begin = firstAfter(lines.at, this.view.from + this.offset);
    const end = firstAfter(lines.at, this.view.to + this.offset);
    const own = lines.from.map((f) => f.pod === row.ticks.pod && f.container === row.ticks.container);
    const scale = this.width / (this.view.to - this.view.from);
    const zero = this.gutter - (this.offset + this.view.from) * scale;
    let d = "";
    let last = -1;
    for (let i = begin; i < end; i++) {
      if (!own[lines.of[i]]) continue;
      const x = Math.round(zero + lines.at[i] * scale);
      if (x === last) continue;
      last = x;
      d += `M${x + 0.5} ${y - 1}v7`;
    }
    if (d) layer.append(svg("path", { class: `ticks ${row.swatch}`, d }));
  }
}

// stacked gives items lanes in which none hides another or its text, and
// returns how many. An item that is too short for its text has it beside.
function stacked(items, right) {
  const most = 9;
  const lanes = [];
  for (const item of items) {
    let [low, high] = [item.x, Math.max(item.end, item.x + 3)];
    const needs = item.text ? textWidth(item.text) : 0;
    if (item.shape === "bar" && needs > item.end - item.x - 6) {
      item.beside = item.end + needs + 8 > right ? "before" : "after";
      if (item.beside === "after") high = item.end + needs + 6;
      else low = item.x - needs - 6;
    }
    let lane = lanes.findIndex((taken) => taken.every(([from, to]) => high <= from || low >= to));
    if (lane < 0 && lanes.length < most) lane = lanes.push([]) - 1;
    if (lane < 0) {
      item.beside = "";
      lane = lanes.reduce((best, taken, i) => (taken.length < lanes[best].length ? i : best), 0);
    }
    lanes[lane].push([low, high]);
    item.lane = lane;
  }
  return Math.max(1, lanes.length);
}

const longestText = 34;
const shortened = (text) => (text.length > longestText ? text.slice(0, longestText - 1) + "…" : text);
const textWidth = (text) => Math.min(text.length, longestText) * 6.2;

// together tells of several items in one.
function together(items) {
  const most = 6;
  const lines = [`${items.length} here, zoom in to tell them apart:`];
  for (const item of items.slice(0, most)) lines.push(`${item.tell()[0]} – ${seconds(item.from)}`);
  if (items.length > most) lines.push(`and ${items.length - most} more`);
  return lines;
}

function path(shape, x, y) {
  switch (shape) {
    case "diamond": return `M${x} ${y - 5}l5 5l-5 5l-5 -5z`;
    case "warning": return `M${x} ${y - 6}l6 11h-12z`;
    case "up": return `M${x} ${y - 7}l4.5 7h-9z`;
    case "cross": return `M${x - 4} ${y - 5}l8 10M${x + 4} ${y - 5}l-8 10`;
    case "stop": return `M${x} ${y - 8}v16M${x - 3} ${y - 8}h6M${x - 3} ${y + 8}h6`;
  }
  return `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z`;
}
