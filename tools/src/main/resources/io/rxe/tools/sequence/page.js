"use strict";
// The coordinates of the picture as drawn; a zoom maps them. A view is the part of the plots that is shown, from 0 to 1.
const svg = document.querySelector("svg"), tip = document.getElementById("tip"), space = "http://www.w3.org/2000/svg";
const plots = [...document.querySelectorAll(".plot")].map(group => {
  const frame = group.querySelector(".frame"), box = ["x", "y", "width", "height"].map(name => +frame.getAttribute(name));
  const time = group.dataset.time.split(" ").map(Number);
  return {group, box, time, vertical: group.dataset.zoom === "xy", side: null, paths: [], bands: []};
});
const number = value => String(Math.round(value * 100) / 100);
let side = -1;
for (const plot of plots) {
  side += plot.vertical ? 1 : 0;
  plot.side = side;
  for (const path of plot.group.querySelectorAll("path:not(.grid)")) {
    const points = [];
    for (const [, command, a, b] of path.getAttribute("d").matchAll(/([MLV])(-?[\d.]+)(?:,(-?[\d.]+))?/g)) {
      points.push(command === "V" ? [command, points[points.length - 1][1], +a] : [command, +a, +b]);
    }
    plot.paths.push({path, points});
  }
  for (const band of plot.group.querySelectorAll(".band")) {
    plot.bands.push({band, x: +band.getAttribute("x"), width: +band.getAttribute("width")});
  }
  plot.grid = plot.group.querySelector(".grid");
  plot.labels = plot.group.querySelector(".values");
  plot.texts = plot.labels ? [...plot.labels.children].map(text => ({text, y: +text.getAttribute("y")})) : [];
  plot.lines = plot.grid ? [...plot.grid.getAttribute("d").matchAll(/M[-\d.]+,(-?[\d.]+)/g)].map(found => +found[1]) : [];
}
const views = Array.from({length: side + 1}, () => [0, 1, 0, 1]);
const times = [...document.querySelectorAll(".times")];

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
  const [x0, x1, y0, y1] = views[index];
  for (const plot of plots.filter(one => one.side === index)) {
    const [left, top, width, height] = plot.box;
    const x = at => left + ((at - left) / width - x0) / (x1 - x0) * width;
    const y = plot.vertical ? at => top + ((at - top) / height - y0) / (y1 - y0) * height : at => at;
    for (const {path, points} of plot.paths) {
      path.setAttribute("d", points.map(([command, a, b]) => command === "V" ? "V" + number(y(b))
        : command + number(x(a)) + "," + number(y(b))).join(""));
    }
    for (const {band, x: from, width: wide} of plot.bands) {
      band.setAttribute("x", number(x(from)));
      band.setAttribute("width", number(wide / (x1 - x0)));
    }
    if (plot.grid && plot.vertical) {
      plot.grid.setAttribute("d", plot.lines.map(at => "M" + left + "," + number(y(at)) + "H" + (left + width)).join(""));
      for (const {text, y: at} of plot.texts) {
        const shown = y(at - 3.5);
        text.setAttribute("y", number(shown + 3.5));
        text.style.display = shown < top || shown > top + height ? "none" : "";
      }
    }
    if (plot.vertical) { axis(index, plot); }
  }
}

function axis(index, plot) {
  const [x0, x1] = views[index], [left, , width] = plot.box, [begin, end] = plot.time, group = times[index];
  const from = begin + x0 * (end - begin), until = begin + x1 * (end - begin), step = niceStep((until - from) * 110 / width);
  const y = +(group.dataset.y ||= group.querySelector("text").getAttribute("y"));
  group.replaceChildren();
  for (let time = Math.ceil(from / step) * step; time <= until; time += step) {
    const x = left + (time - from) / (until - from) * width;
    const tick = group.appendChild(document.createElementNS(space, "path"));
    tick.setAttribute("class", "tick");
    tick.setAttribute("d", "M" + number(x) + "," + (y - 17) + "v4");
    if (time >= 0) {
      const text = group.appendChild(document.createElementNS(space, "text"));
      text.setAttribute("class", "time");
      text.setAttribute("x", number(x));
      text.setAttribute("y", y);
      text.textContent = unit(time, step);
    }
  }
}

function zoom(index, x0, x1, y0 = 0, y1 = 1) {
  const part = (from, until) => {
    const length = Math.max(1e-5, Math.min(1, until - from)), begin = Math.max(0, Math.min(1 - length, from));
    return [begin, begin + length];
  };
  views[index] = [...part(x0, x1), ...part(y0, y1)];
  draw(index);
}

const point = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
const inside = at => plots.find(({group, box: [left, top, width, height]}) => group.getBoundingClientRect().width > 0
  && at.x >= left && at.x <= left + width && at.y >= top && at.y <= top + height);

// The mark next to a point, within a few units.
function nearest(at) {
  const plot = inside(at);
  let best = null, distance = 12;
  for (const {path} of plot ? plot.paths : []) {
    if (!path.dataset.path || path.style.display === "none") { continue; }
    let index = 0;
    for (const [, x, low, high] of path.getAttribute("d").matchAll(/M(-?[\d.]+),(-?[\d.]+)V(-?[\d.]+)/g)) {
      const away = Math.hypot(at.x - x, Math.max(0, high - at.y, at.y - low));
      if (away < distance) { distance = away; best = {path, index, x: +x, y: Math.min(+low, Math.max(+high, at.y)), plot}; }
      index++;
    }
  }
  return best;
}

function describe({path, index, plot, x}) {
  const {label, rule, data} = marks[path.dataset.path], [frame, count, name, psn] = data.slice(4 * index, 4 * index + 4);
  const [x0, x1] = views[plot.side], [left, , width] = plot.box, [begin, end] = plot.time;
  const time = begin + (x0 + (x - left) / width * (x1 - x0)) * (end - begin);
  return "frame " + frame + "  " + names[name] + "  PSN " + psn.toString(16).padStart(6, "0") + "\n" + label + (rule ? "  rule " + rule : "")
    + "\nat " + (time / 1e6).toFixed(4) + " ms" + (count > 1 ? "\nthe first of " + count + " packets" : "");
}

let ring = null;
function hover(at, clientX = 0, clientY = 0) {
  const found = nearest(at);
  ring?.remove();
  tip.hidden = !found;
  if (!found) { return ""; }
  ring = found.plot.group.appendChild(document.createElementNS(space, "circle"));
  for (const [name, value] of [["class", "here"], ["r", 6], ["cx", found.x], ["cy", found.y]]) { ring.setAttribute(name, value); }
  tip.textContent = describe(found);
  tip.style.left = Math.min(clientX + 14, innerWidth - 330) + "px";
  tip.style.top = (clientY + 14) + "px";
  return tip.textContent;
}

function show(kind, visible) {
  document.querySelectorAll(".plot [data-kind=" + kind + "]").forEach(one => { one.style.display = visible ? "" : "none"; });
  document.querySelectorAll(".band." + kind).forEach(one => { one.style.display = visible ? "" : "none"; });
  document.querySelectorAll(".key[data-kind=" + kind + "]").forEach(one => one.classList.toggle("off", !visible));
}

let drag = null;
svg.addEventListener("wheel", event => {
  const plot = inside(point(event));
  if (!plot) { return; }
  event.preventDefault();
  const at = point(event), [left, top, width, height] = plot.box, factor = event.deltaY > 0 ? 1.25 : .8;
  let [x0, x1, y0, y1] = views[plot.side];
  if (event.shiftKey && plot.vertical) {
    const middle = y0 + (at.y - top) / height * (y1 - y0);
    [y0, y1] = [middle - (middle - y0) * factor, middle + (y1 - middle) * factor];
  } else {
    const middle = x0 + (at.x - left) / width * (x1 - x0);
    [x0, x1] = [middle - (middle - x0) * factor, middle + (x1 - middle) * factor];
  }
  zoom(plot.side, x0, x1, y0, y1);
}, {passive: false});
svg.addEventListener("pointerdown", event => {
  const at = point(event), plot = inside(at);
  if (plot) {
    drag = {plot, at, box: svg.appendChild(document.createElementNS(space, "rect"))};
    drag.box.setAttribute("class", "select");
  }
});
svg.addEventListener("pointermove", event => {
  const at = point(event);
  if (!drag) { hover(at, event.clientX, event.clientY); return; }
  const [, top, , height] = drag.plot.box, tall = drag.plot.vertical;
  for (const [name, value] of [["x", Math.min(at.x, drag.at.x)], ["width", Math.abs(at.x - drag.at.x)],
    ["y", tall ? Math.min(at.y, drag.at.y) : top], ["height", tall ? Math.abs(at.y - drag.at.y) : height]]) {
    drag.box.setAttribute(name, value);
  }
});
addEventListener("pointerup", event => {
  if (!drag) { return; }
  const {plot, at: from, box} = drag, until = point(event), [left, top, width, height] = plot.box;
  box.remove();
  drag = null;
  if (Math.abs(until.x - from.x) > 4) {
    const [x0, x1, y0, y1] = views[plot.side];
    const x = at => x0 + (Math.max(left, Math.min(left + width, at)) - left) / width * (x1 - x0);
    const y = at => y0 + (Math.max(top, Math.min(top + height, at)) - top) / height * (y1 - y0);
    const ys = plot.vertical && Math.abs(until.y - from.y) > 4 ? [y(Math.min(from.y, until.y)), y(Math.max(from.y, until.y))] : [y0, y1];
    zoom(plot.side, x(Math.min(from.x, until.x)), x(Math.max(from.x, until.x)), ...ys);
  }
});
svg.addEventListener("pointerleave", () => { tip.hidden = true; ring?.remove(); });
const reset = () => views.forEach((view, index) => zoom(index, 0, 1));
svg.addEventListener("dblclick", reset);
document.getElementById("reset").addEventListener("click", reset);
document.querySelectorAll(".key").forEach(key => key.addEventListener("click", () => show(key.dataset.kind, key.classList.contains("off"))));
document.querySelectorAll("#filter input").forEach(input => input.addEventListener("change", () => {
  document.querySelector("g.connection[data-connection='" + input.dataset.connection + "']").style.display = input.checked ? "" : "none";
}));
