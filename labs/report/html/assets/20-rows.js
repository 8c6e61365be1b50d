// A picture as rows of items. An item is a bar (from and to) or a mark (from
// alone); tell says what it is, at its exact time. Items are in the order of
// their times, bars before marks.

const kinds = { init: "init container", sidecar: "sidecar", main: "main container", ephemeral: "ephemeral container" };

// colors gives each container of a scenario a colour of its own, the same on
// each cluster: eight colours, then the same with another pattern.
function colors(pictures) {
  const known = new Map();
  for (const p of pictures) {
    for (const pod of p.pods) {
      for (const c of pod.containers) {
        const key = pod.title + "/" + c.name;
        if (!known.has(key)) known.set(key, `c${known.size % 7} p${Math.floor(known.size / 7) % 3}`);
      }
    }
  }
  return (pod, c) => known.get(pod.title + "/" + c.name) || "c7";
}

function rowsOf(picture, show, color) {
  const rows = [{ id: "steps", label: "steps", items: stepItems(picture), stack: true }];
  picture.pods.slice(0, show.pods).forEach((pod, i) => rows.push(...podRows(picture, pod, i, show, color)));
  if (show.objects) rows.push(...picture.objects.map((o) => objectRow(o, picture.seconds)).filter((row) => row.items.length));
  if (show.events && picture.events.length) rows.push({ id: "events", label: "events (hints)", items: picture.events.map(eventItem) });
  if (picture.gaps.length) rows.push({ id: "gaps", label: "gaps", items: picture.gaps.map(gapItem) });
  for (const row of rows) row.items.sort((a, b) => (a.to === undefined) - (b.to === undefined) || a.from - b.from);
  return rows;
}

function stepItems(picture) {
  return picture.steps.map((s) => ({
    from: s.began_at, to: Math.max(s.began_at, s.ended_at), shape: "bar", cls: "step " + s.status, text: s.mark + " " + s.title, evidence: s.evidence,
    tell: () => [`${s.mark} ${s.title}: ${s.status}`, `from ${seconds(s.began_at, 1)} to ${seconds(s.ended_at, 1)}, by lab itself`, s.detail],
  }));
}

function podRows(picture, pod, index, show, color) {
  const rows = [{ id: "pod" + index, label: pod.title || pod.name, cls: "pod", title: pod.name, items: podItems(picture, pod) }];
  if (show.conditions) rows.push(...conditionRows(pod.conditions, picture.seconds, "condition" + index));
  pod.containers.forEach((c, n) => {
    rows.push({
      id: `container${index}-${n}`, label: c.name, kind: c.kind, swatch: color(pod, c), ticks: { pod: index, container: n }, empty: "never started",
      items: c.runs.flatMap((run, r) => runItems(c, run, r, picture)),
    });
  });
  return rows;
}

// podItems are kubectl's STATUS in its course, and the pod's begin and end.
function podItems(picture, pod) {
  const end = pod.gone_at ? pod.gone_at.at : picture.seconds;
  const items = pod.statuses.map((s, i) => ({
    from: s.at, to: i + 1 < pod.statuses.length ? pod.statuses[i + 1].at : Math.max(end, s.at), shape: "bar", cls: "status", text: s.status,
    tell: () => [`STATUS ${s.status}`, `READY ${s.ready || "?"}, phase ${s.phase || "?"}`, "received at " + moment(s), pod.name],
  }));
  if (pod.created_at) items.push(mark(pod.created_at, "created", "event", [`pod ${pod.name} was created`]));
  if (pod.deleted_at) items.push(mark(pod.deleted_at, "cross", "killing", [`the deletion of pod ${pod.name} was requested`]));
  if (pod.gone_at) items.push(mark(pod.gone_at, "stop", "gone", [`pod ${pod.name} is gone`]));
  return items;
}

const mark = (instant, shape, cls, lines) => ({ from: instant.at, shape, cls, tell: () => [...lines, "at " + moment(instant)] });

function conditionRows(changes, end, id) {
  const types = [...new Set(changes.map((c) => c.type))];
  return types.map((type, n) => {
    const own = changes.filter((c) => c.type === type);
    return {
      id: `${id}-${n}`, label: type, cls: "faint", thin: true,
      items: own.filter((c) => c.status).map((c) => {
        const next = own[own.indexOf(c) + 1];
        return {
          from: c.at, to: next ? next.at : Math.max(end, c.at), shape: "bar", cls: c.status === "True" ? "true" : "false", text: c.status,
          tell: () => [`condition ${type} is ${c.status}`, "received at " + moment(c)],
        };
      }),
    };
  });
}

function exitText(run) {
  let text = "exit " + run.exit_code;
  if (run.signal) text += `, signal ${run.signal}`;
  if (run.reason && run.reason !== "Completed" && run.reason !== "Error") text += `, ${run.reason}`;
  if (run.oom) text += ", the kernel killed a process in it for lack of memory";
  return text;
}

function runItems(c, run, index, picture) {
  const begin = run.started_at ? run.started_at.at : run.finished_at ? run.finished_at.at : 0;
  const end = run.finished_at ? run.finished_at.at : picture.seconds;
  const lines = [`${kinds[c.kind] || c.kind} ${c.name}` + (c.runs.length > 1 ? `, run ${index + 1} of ${c.runs.length}` : "")];
  lines.push(run.started_at ? "started at " + moment(run.started_at) : "its start was not observed");
  if (run.finished_at) lines.push("ended at " + moment(run.finished_at));
  else lines.push(run.exited ? "it ended at an unknown time" : "still running when the scenario ended");
  if (run.started_at && run.finished_at) {
    const within = Math.max(run.started_at.precision, run.finished_at.precision);
    lines.push(`ran for ${seconds(run.finished_at.at - run.started_at.at, within)}`);
  }
  if (run.exited) lines.push(exitText(run));
  if (c.image) lines.push(c.image);
  const bad = run.exited && run.exit_code !== 0;
  const items = [{
    from: begin, to: Math.max(begin, end), shape: "bar", cls: c.kind, kind: c.kind, tell: () => lines, open: !run.finished_at, unseen: !run.started_at,
    after: run.exited ? (bad ? "✗ " : "✓ ") + run.exit_code + (run.oom ? " OOM" : "") : "",
  }];
  if (run.ready_at) items.push(mark(run.ready_at, "up", "ready", [`${c.name} is ready`]));
  if (run.killing_at) items.push(mark(run.killing_at, "cross", "killing", [`${c.name} is being stopped: an event of the kubelet, a hint`]));
  return items;
}

function objectRow(o, end) {
  const row = { id: `object-${o.kind}-${o.name}`, label: `${o.kind} ${o.name}`, items: [], stack: true };
  for (const c of conditionRows(o.conditions || [], end, row.id)) {
    for (const item of c.items) row.items.push({ ...item, text: `${c.label} ${item.text}` });
  }
  if (o.gone_at) row.items.push(mark(o.gone_at, "stop", "gone", [`${o.kind} ${o.name} is gone`]));
  return row;
}

function eventItem(e) {
  const warning = e.type === "Warning";
  return {
    from: e.at, shape: warning ? "warning" : "diamond", cls: warning ? "warning" : "event", group: true,
    tell: () => [`${e.type}: ${e.reason}` + (e.count > 1 ? ` (${e.count} times)` : ""), e.object, e.message, "at " + moment(e), "A Kubernetes event: a hint, no evidence of order."],
  };
}

function gapItem(g) {
  const what = [g.object, g.container].filter(Boolean).join("/") || "anything";
  return {
    from: g.from, to: Math.max(g.to, g.from), shape: "bar", cls: "gap", text: "gap", gap: true,
    tell: () => [`gap: ${source(g.source)} did not see ${what}`, `from ${seconds(g.from, 1)} to ${seconds(g.to, 1)}`, g.reason, g.lost > 0 ? `${g.lost} lost` : g.lost < 0 ? "how much was lost is not known" : "nothing is known to be lost"],
  };
}

// anchors are the moments of a picture at which clusters can be aligned: by a
// name that is the same on each cluster.
function anchors(picture) {
  const found = new Map();
  const add = (name, at) => {
    if (at !== undefined && !found.has(name)) found.set(name, at);
  };
  for (const s of picture.steps) {
    add(`${s.title} begins`, s.began_at);
    add(`${s.title} ends`, s.ended_at);
  }
  for (const pod of picture.pods) {
    for (const c of pod.containers) {
      const name = `${pod.title}/${c.name}`;
      c.runs.forEach((run, i) => {
        const nth = i ? ` (run ${i + 1})` : "";
        add(`${name} starts${nth}`, run.started_at?.at);
        add(`${name} ends${nth}`, run.finished_at?.at);
      });
    }
    add(`pod ${pod.title} is gone`, pod.gone_at?.at);
  }
  return found;
}
