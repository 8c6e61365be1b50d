// What a pointer and the keyboard do in a timeline.

Object.assign(Timeline.prototype, {
  listen() {
    const s = this.svg;
    s.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    s.addEventListener("pointerdown", (e) => this.press(e));
    s.addEventListener("pointermove", (e) => this.move(e));
    s.addEventListener("pointerup", (e) => this.release(e));
    s.addEventListener("pointercancel", () => (this.drag = null));
    s.addEventListener("pointerleave", () => this.drag || tip.hide());
    s.addEventListener("keydown", (e) => this.key(e));
    s.addEventListener("focusin", (e) => this.focused(e));
    s.addEventListener("focusout", () => tip.hide());
  },

  // place is where an event is, in the units of the drawing.
  place(e) {
    return e.clientX - this.svg.getBoundingClientRect().left;
  },

  wheel(e) {
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      this.view.zoom(Math.exp(e.deltaY * 0.004), this.time(this.place(e)) - this.offset);
    } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      this.view.pan((e.deltaX / this.width) * (this.view.to - this.view.from));
    }
  },

  press(e) {
    if (e.button === 0) this.drag = { x: e.clientX, from: this.view.from, to: this.view.to, moved: false };
  },

  move(e) {
    if (this.drag) {
      const by = e.clientX - this.drag.x;
      if (!this.drag.moved && Math.abs(by) > 4) {
        this.drag.moved = true;
        this.svg.setPointerCapture(e.pointerId);
        tip.hide();
      }
      if (this.drag.moved) {
        const span = this.drag.to - this.drag.from;
        this.view.range(this.drag.from - (by / this.width) * span, this.drag.to - (by / this.width) * span);
      }
      return;
    }
    const mark = this.marks[e.target.closest?.("[data-mark]")?.dataset.mark];
    if (mark) tip.show(mark.lines, e.clientX, e.clientY);
    else tip.hide();
  },

  release(e) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.moved || this.place(e) < this.gutter) return;
    const mark = this.marks[e.target.closest?.("[data-mark]")?.dataset.mark];
    if (mark) this.choose(mark);
    else this.view.point(this.time(this.place(e)) - this.offset, this.picture);
  },

  // choose puts the cursor at a mark, and opens a step's evidence.
  choose(mark) {
    this.view.point(mark.at - this.offset, this.picture);
    if (mark.evidence) evidence.open(mark.evidence, false);
  },

  focused(e) {
    const mark = this.marks[e.target.dataset?.mark];
    if (!mark) return;
    this.focus = mark.key;
    for (const m of this.marks) m.element.setAttribute("tabindex", m === mark ? "0" : "-1");
    if (!e.target.matches(":focus-visible")) return;
    const box = e.target.getBoundingClientRect();
    tip.show(mark.lines, Math.max(box.left, 0) + 8, box.bottom);
  },

  // restore puts the focus back to where it was before the drawing.
  restore() {
    const chosen = this.marks.find((m) => m.key === this.focus) || this.marks[0];
    if (!chosen) return;
    chosen.element.setAttribute("tabindex", "0");
    if (this.held) chosen.element.focus({ preventScroll: true });
    this.held = false;
  },

  // hold remembers before a drawing that the focus is inside.
  hold() {
    this.held = this.svg.contains(document.activeElement);
  },

  key(e) {
    const mark = this.marks[e.target.dataset?.mark];
    const span = this.view.to - this.view.from;
    const done = () => e.preventDefault();
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === "+" || e.key === "=") return done(), this.view.zoom(0.5, mark ? mark.at - this.offset : undefined);
    if (e.key === "-") return done(), this.view.zoom(2, mark ? mark.at - this.offset : undefined);
    if (e.key === "0") return done(), this.view.whole();
    if (e.shiftKey && e.key === "ArrowLeft") return done(), this.view.pan(-span / 5);
    if (e.shiftKey && e.key === "ArrowRight") return done(), this.view.pan(span / 5);
    if (e.key === "Enter" || e.key === " ") return done(), mark && this.choose(mark);
    const next = mark && this.next(mark, e.key);
    if (next) {
      done();
      next.element.focus();
    }
  },

  // next is the mark that an arrow key leads to.
  next(mark, key) {
    const row = (r) => this.marks.filter((m) => m.row === r).sort((a, b) => a.at - b.at);
    const own = row(mark.row);
    const i = own.indexOf(mark);
    if (key === "ArrowRight") return own[i + 1];
    if (key === "ArrowLeft") return own[i - 1];
    if (key === "Home") return own[0];
    if (key === "End") return own[own.length - 1];
    const by = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (!by) return null;
    for (let r = mark.row + by; r >= 0 && r < this.rows.length; r += by) {
      const there = row(r);
      if (there.length) return there.reduce((a, b) => (Math.abs(b.at - mark.at) < Math.abs(a.at - mark.at) ? b : a));
    }
    return null;
  },
});

// tip is the one tooltip of the page.
const tip = {
  show(lines, x, y) {
    const el = find("#tip");
    el.replaceChildren(html("b", {}, lines[0]), lines.slice(1).filter(Boolean).map((l) => (l.length > 600 ? l.slice(0, 600) + "…" : l)).join("\n"));
    el.hidden = false;
    const box = el.getBoundingClientRect();
    el.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 6)) + "px";
    el.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + "px";
  },
  hide() {
    find("#tip").hidden = true;
  },
};
