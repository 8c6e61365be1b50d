// Elements. All that was recorded becomes text nodes and attributes, never
// markup.

const find = (query, within = document) => within.querySelector(query);
const all = (query, within = document) => [...within.querySelectorAll(query)];

function fill(el, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children.filter((c) => c !== null && c !== undefined));
  return el;
}

const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// say tells a reader of the screen.
function say(text) {
  find("#said").textContent = text;
}

// Times: seconds, with the digits that their precision gives them.

function digits(precision) {
  if (precision >= 1e9) return 3;
  let n = 0;
  for (let unit = 1e9; unit > Math.max(precision, 1) && n < 9; unit /= 10) n++;
  return n;
}

const seconds = (at, precision = 1e6) => at.toFixed(digits(precision)) + " s";

function precisely(ns) {
  if (!(ns > 0)) return "precision unknown";
  if (ns >= 1e9) return "known to " + ns / 1e9 + " s";
  if (ns >= 1e6) return "known to " + ns / 1e6 + " ms";
  if (ns >= 1e3) return "known to " + ns / 1e3 + " µs";
  return "known to " + ns + " ns";
}

const sources = { api: "the API", runtime: "the container runtime", log: "the log", lab: "lab itself" };
const source = (name) => sources[name] || name;

// moment tells an instant: when, who says so, how finely.
const moment = (i) => `${seconds(i.at, i.precision)}, by ${source(i.source)}, ${precisely(i.precision)}`;

// The page's data: base64 of gzip of JSON.

async function load() {
  const packed = atob(JSON.parse(find("#data").textContent));
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(stream).text());
  for (const picture of data.pictures) unpack(picture);
  return data;
}

// unpack turns the differences between the lines' times into times.
function unpack(picture) {
  const at = new Float64Array(picture.lines.at.length);
  let sum = 0;
  picture.lines.at.forEach((delta, i) => {
    sum += delta;
    at[i] = sum / 1e9;
  });
  picture.lines.at = at;
  for (const list of ["pods", "objects", "events", "gaps"]) picture[list] ||= [];
  for (const pod of picture.pods) {
    for (const list of ["statuses", "conditions", "containers", "snapshots"]) pod[list] ||= [];
    for (const c of pod.containers) c.runs ||= [];
  }
}

// firstAfter is the index of the first of sorted times that is not before t.
function firstAfter(times, t) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
