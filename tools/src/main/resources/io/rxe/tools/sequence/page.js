"use strict";
// The coordinates of the picture as drawn; a zoom maps them. A view is the part of the plots that is shown, from 0 to 1, on both axes.
const svg = document.querySelector("svg"), tip = document.getElementById("tip"), space = "http://www.w3.org/2000/svg";
const number = value => String(Math.round(value * 100) / 100);

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, typeof value === "number" ? number(value) : value);
  }
  return element;
}

const add = (parent, name, attributes) => set(parent.appendChild(document.createElementNS(space, name)), attributes);
const get = (element, ...names) => names.map(name => +element.getAttribute(name));

function pointsOf(path) {
  const points = [];
  for (const [, command, a, b] of path.getAttribute("d").matchAll(/([MLV])(-?[\d.]+)(?:,(-?[\d.]+))?/g)) {
    points.push(command === "V" ? [command, points.at(-1)[1], +a] : [command, +a, +b]);
  }
  return {path, points};
}

let side = -1;
const plots = [...document.querySelectorAll(".plot")].map(group => {
  const all = selector => [...group.querySelectorAll(selector)], frame = group.querySelector(".frame"), grid = group.querySelector(".grid");
  const vertical = group.dataset.zoom === "xy";
  side += vertical ? 1 : 0;
  return {
    group, side, vertical, grid, time: group.dataset.time.split(" ").map(Number),
    box: [get(frame, "x", "width"), get(frame, "y", "height")],
    paths: all("path:not(.grid)").map(pointsOf),
    bands: all(".band").map(band => [band, ...get(band, "x", "width")]),
    texts: all(".values > *").map(text => [text, ...get(text, "y")]),
    lines: grid ? [...grid.getAttribute("d").matchAll(/M[-\d.]+,(-?[\d.]+)/g)].map(found => +found[1]) : []
  };
});
const views = Array.from({length: side + 1}, () => [[0, 1], [0, 1]]);
const times = [...document.querySelectorAll(".times")];

// Where the view shows a coordinate, on the axis of time (0) or the other (1).
function shown(plot, axis, at) {
  const [begin, length] = plot.box[axis], [from, until] = views[plot.side][axis];
  return begin + ((at - begin) / length - from) / (until - from) * length;
}

// The part of the plot, from 0 to 1, that the view shows at a coordinate.
function share(plot, axis, at) {
  const [begin, length] = plot.box[axis], [from, until] = views[plot.side][axis];
  return from + (at - begin) / length * (until - from);
}

function unit(ns, step) {
  const names = ["ns", "us", "ms", "s"];
  let index = 0, divisor = 1;
  while (index < 3 && step >= divisor * 999) { divisor *= 1000; index++; }
  return (ns / divisor).toFixed(step < divisor ? 1 : 0) + " " + names[index];
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * .999);
}

function draw(index) {
  const [x0, x1] = views[index][0];
  for (const plot of plots.filter(one => one.side === index)) {
    const [[left, width], [top, height]] = plot.box;
    const x = at => shown(plot, 0, at), y = at => plot.vertical ? shown(plot, 1, at) : at;
    for (const {path, points} of plot.paths) {
      path.setAttribute("d", points.map(([command, a, b]) => command === "V" ? "V" + number(y(b))
        : command + number(x(a)) + "," + number(y(b))).join(""));
    }
    for (const [band, from, wide] of plot.bands) { set(band, {x: x(from), width: wide / (x1 - x0)}); }
    if (plot.grid && plot.vertical) {
      plot.grid.setAttribute("d", plot.lines.map(at => "M" + left + "," + number(y(at)) + "H" + (left + width)).join(""));
      for (const [text, at] of plot.texts) {
        const line = y(at - 3.5);
        set(text, {y: line + 3.5}).style.display = line < top || line > top + height ? "none" : "";
      }
    }
    if (plot.vertical) { axis(index, plot); }
  }
}

function axis(index, plot) {
  const [left, width] = plot.box[0], [begin, end] = plot.time, group = times[index];
  const [from, until] = views[index][0].map(part => begin + part * (end - begin)), step = niceStep((until - from) * 110 / width);
  const y = +(group.dataset.y ||= group.querySelector("text").getAttribute("y"));
  group.replaceChildren();
  for (let time = Math.ceil(from / step) * step; time <= until; time += step) {
    const x = left + (time - from) / (until - from) * width;
    add(group, "path", {class: "tick", d: "M" + number(x) + "," + (y - 17) + "v4"});
    if (time >= 0) { add(group, "text", {class: "time", x, y}).textContent = unit(time, step); }
  }
}

function zoom(index, time, other = [0, 1]) {
  views[index] = [time, other].map(([from, until]) => {
    const length = Math.max(1e-5, Math.min(1, until - from)), begin = Math.max(0, Math.min(1 - length, from));
    return [begin, begin + length];
  });
  draw(index);
}

const point = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
const inside = at => plots.find(({group, box: [[left, width], [top, height]]}) => group.getBoundingClientRect().width > 0
  && at.x >= left && at.x <= left + width && at.y >= top && at.y <= top + height);

// The mark next to a point, within a few units.
function nearest(at) {
  const plot = inside(at);
  let best = null, distance = 12;
  for (const {path} of plot?.paths ?? []) {
    if (!path.dataset.path || path.style.display === "none") { continue; }
    const found = [...path.getAttribute("d").matchAll(/M(-?[\d.]+),(-?[\d.]+)V(-?[\d.]+)/g)];
    for (const [index, [, x, low, high]] of found.entries()) {
      const away = Math.hypot(at.x - x, Math.max(0, high - at.y, at.y - low));
      if (away < distance) { distance = away; best = {path, index, x: +x, y: Math.min(+low, Math.max(+high, at.y)), plot}; }
    }
  }
  return best;
}

function describe({path, index, plot, x}) {
  const {label, rule, data} = marks[path.dataset.path], [frame, count, name, psn] = data.slice(4 * index, 4 * index + 4);
  const [begin, end] = plot.time, time = begin + share(plot, 0, x) * (end - begin);
  return "frame " + frame + "  " + names[name] + "  PSN " + psn.toString(16).padStart(6, "0") + "\n" + label + (rule ? "  rule " + rule : "")
    + "\nat " + (time / 1e6).toFixed(4) + " ms" + (count > 1 ? "\nthe first of " + count + " packets" : "");
}

let ring = null;
function hover(at, clientX = 0, clientY = 0) {
  const found = nearest(at);
  ring?.remove();
  tip.hidden = !found;
  if (!found) { return ""; }
  ring = add(found.plot.group, "circle", {class: "here", r: 6, cx: found.x, cy: found.y});
  tip.textContent = describe(found);
  tip.style.left = Math.min(clientX + 14, innerWidth - 330) + "px";
  tip.style.top = (clientY + 14) + "px";
  return tip.textContent;
}

function show(kind, visible) {
  document.querySelectorAll(".plot [data-kind=" + kind + "], .band." + kind).forEach(one => { one.style.display = visible ? "" : "none"; });
  document.querySelectorAll(".key[data-kind=" + kind + "]").forEach(one => one.classList.toggle("off", !visible));
}

let drag = null;
svg.addEventListener("wheel", event => {
  const at = point(event), plot = inside(at);
  if (!plot) { return; }
  event.preventDefault();
  const axis = event.shiftKey && plot.vertical ? 1 : 0, middle = share(plot, axis, axis ? at.y : at.x);
  const factor = event.deltaY > 0 ? 1.25 : .8;
  zoom(plot.side, ...views[plot.side].map((part, index) => index === axis ? part.map(end => middle + (end - middle) * factor) : part));
}, {passive: false});
svg.addEventListener("pointerdown", event => {
  const at = point(event), plot = inside(at);
  if (plot) { drag = {plot, at, box: add(svg, "rect", {class: "select"})}; }
});
svg.addEventListener("pointermove", event => {
  const at = point(event);
  if (!drag) { hover(at, event.clientX, event.clientY); return; }
  const [, [top, height]] = drag.plot.box, tall = drag.plot.vertical;
  set(drag.box, {x: Math.min(at.x, drag.at.x), width: Math.abs(at.x - drag.at.x),
    y: tall ? Math.min(at.y, drag.at.y) : top, height: tall ? Math.abs(at.y - drag.at.y) : height});
});
addEventListener("pointerup", event => {
  if (!drag) { return; }
  const {plot, at: from, box} = drag, until = point(event);
  box.remove();
  drag = null;
  const part = (axis, ...ends) => ends.sort((a, b) => a - b).map(at => {
    const [begin, length] = plot.box[axis];
    return share(plot, axis, Math.max(begin, Math.min(begin + length, at)));
  });
  if (Math.abs(until.x - from.x) > 4) {
    const isTall = plot.vertical && Math.abs(until.y - from.y) > 4;
    zoom(plot.side, part(0, from.x, until.x), isTall ? part(1, from.y, until.y) : views[plot.side][1]);
  }
});
svg.addEventListener("pointerleave", () => { tip.hidden = true; ring?.remove(); });
const reset = () => views.forEach((view, index) => zoom(index, [0, 1]));
svg.addEventListener("dblclick", reset);
document.getElementById("reset").addEventListener("click", reset);
document.querySelectorAll(".key").forEach(key => key.addEventListener("click", () => show(key.dataset.kind, key.classList.contains("off"))));
document.querySelectorAll("#filter input").forEach(input => input.addEventListener("change", () => {
  document.querySelector("g.connection[data-connection='" + input.dataset.connection + "']").style.display = input.checked ? "" : "none";
}));
