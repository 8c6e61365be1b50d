// Snapshots of pods, and what differs between two of them.

// difference is the shortest way from one text's lines to another's, as
// [sign, line]; where they differ too much, all of one and then the other.
function difference(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const out = a.slice(0, head).map((l) => [" ", l]);
  out.push(...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)));
  out.push(...a.slice(a.length - tail).map((l) => [" ", l]));
  return out;
}

// middle finds the longest common subsequence.
function middle(a, b) {
  if (a.length * b.length > 4e6) return [...a.map((l) => ["-", l]), ...b.map((l) => ["+", l])];
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push([" ", a[i++]]);
      j++;
    } else if (j >= b.length || (i < a.length && length[(i + 1) * width + j] >= length[i * width + j + 1])) out.push(["-", a[i++]]);
    else out.push(["+", b[j++]]);
  }
  return out;
}

// shownDifference is a difference with three lines of what is the same around
// each change.
function shownDifference(lines) {
  const keep = new Uint8Array(lines.length);
  lines.forEach(([sign], i) => {
    if (sign !== " ") keep.fill(1, Math.max(0, i - 3), i + 4);
  });
  const out = [];
  for (let i = 0; i < lines.length; ) {
    if (keep[i]) {
      const [sign, text] = lines[i++];
      out.push(html("div", { class: sign === "+" ? "plus" : sign === "-" ? "minus" : "same" }, sign + " " + text));
      continue;
    }
    let n = 0;
    for (; i < lines.length && !keep[i]; i++) n++;
    out.push(html("div", { class: "skipped" }, `  … ${n} lines that are the same`));
  }
  return out;
}

// snapshots is the part of the page that compares snapshots.
function snapshots(pictures) {
  const pods = pictures.flatMap((p) => p.pods.filter((pod) => pod.snapshots.length).map((pod) => ({ name: `${p.cluster}: ${pod.name}`, pod })));
  if (!pods.length) return html("div", { class: "view below", hidden: true });
  const shown = html("div", { class: "diff", tabindex: "0", role: "region", "aria-label": "What differs between the snapshots" });
  const pod = html("select", {}, ...pods.map((p, i) => html("option", { value: i }, p.name)));
  const before = html("select", {});
  const after = html("select", {});
  const list = () => pods[pod.value].pod.snapshots;
  const draw = () => {
    const to = list()[after.value];
    const from = list()[before.value];
    shown.replaceChildren(...(from ? shownDifference(difference(from.yaml, to.yaml)) : to.yaml.split("\n").map((l) => html("div", {}, "  " + l))));
  };
  const choose = (n) => {
    after.value = Math.max(0, Math.min(list().length - 1, n));
    before.value = after.value - 1;
    draw();
  };
  const options = () => {
    const titles = list().map((s, i) => html("option", { value: i }, `${i + 1}. ${s.title} at ${seconds(s.at, s.precision)}`));
    after.replaceChildren(...titles.map((o) => o.cloneNode(true)));
    before.replaceChildren(html("option", { value: -1 }, "nothing: all of it"), ...titles);
    choose(list().length > 1 ? 1 : 0);
  };
  pod.addEventListener("change", options);
  before.addEventListener("change", draw);
  after.addEventListener("change", draw);
  const step = (text, label, by) => html("button", { type: "button", "aria-label": label, title: label, onclick: () => choose(Number(after.value) + by) }, text);
  const details = html("details", { class: "view below snapshots" }, html("summary", {}, "Status snapshots, and what differs between them"),
    html("div", { class: "bar" }, html("label", { class: "wide" }, "pod", pod), html("label", {}, "from", before), html("label", {}, "to", after), step("◀", "The change before", -1), step("▶", "The next change", 1)), shown);
  details.addEventListener("toggle", () => details.open && !before.options.length && options());
  return details;
}
