"use strict";
(() => {
  // All figures were made when the page was written. This script looks them up at the threshold, and draws.
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const say = (element, text) => { if (element) element.textContent = text; };

  // numbers, written as Python writes them

  const written = (value, digits = 3) => {
    if (Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
    let text = value.toFixed(digits);
    if (Math.abs(value * 2 ** (digits + 1)) % 2 === 1) { // a tie, which Python rounds to the even side
      const below = Math.floor(value * 10 ** digits);
      text = ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
    }
    return /[1-9]/.test(text) ? text : text.replace("-", "");
  };
  const counted = (value) => {
    const digits = Number.isInteger(value) ? 0 : 2;
    return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  };
  const percent = (part, whole) => (whole === 0 ? "–" : `${written((100 * part) / whole, 1)}%`);
  const ratio = (a, b) => (b === 0 ? (a > 0 ? Infinity : NaN) : a / b);

  const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  const plainly = (text) => {
    const values = [];
    let rest = 0, shift = 1;
    for (const character of text) {
      const digit = ALPHABET.indexOf(character);
      rest += (digit % 32) * shift;
      shift *= 32;
      if (digit < 32) {
        values.push(rest % 2 ? -(rest + 1) / 2 : rest / 2);
        rest = 0;
        shift = 1;
      }
    }
    return values;
  };
  const unpacked = (text) => { // numbers told by their differences
    let before = 0;
    return plainly(text).map((step) => { before += step; return before; });
  };
  const inflated = (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  };
  const UNDEFINED = -(2 ** 50), ENDLESS = 2 ** 50; // what stands for bounds that are no numbers
  const RATES = ["recall", "specificity"], MEASURES = ["precision", ...RATES, "f1", "mcc", "lift"];
  const RATIO = "positive_likelihood_ratio";
  const UNDEFINED_WHEN = { precision: "nothing called", lift: "nothing called", mcc: "all or none called" };
  const units = (name) => (RATES.includes(name) ? 10000 : 1000);
  const rateText = (rate) => written(Math.floor((Math.round(rate * 10000) + 5) / 10) / 1000);

  // where we stand

  const at = { model: 0, view: 0, place: 0, said: "", prevalence: null };
  let cuts = null;
  const view = () => data.models[at.model].views[at.view];

  const asPython = (value) => { // at most fifteen digits, as the library writes them
    if (value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e15)) return String(value);
    return value.toExponential().replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`);
  };
  const thresholds = (coded) => {
    if (coded.texts) return coded.texts;
    const steps = plainly(coded.steps);
    let whole = 0, decimals = 0;
    const found = unpacked(coded.decimals).map((wanted, i) => { // each by how much it is less than the one before
      const power = Number(`1e${Math.abs(wanted - decimals)}`);
      whole = (wanted >= decimals ? whole * power : Math.floor(whole / power)) - steps[i];
      decimals = wanted;
      return asPython(Number(`${whole}e${-wanted}`));
    });
    return [...Array(coded.ends[0]).fill("Infinity"), ...found, ...Array(coded.ends[1]).fill("-Infinity")];
  };

  const decoded = (coded) => {
    const counts = (text) => unpacked(text).map((count) => count / coded.scale);
    const { positives, negatives } = coded, shown = thresholds(coded);
    const made = {
      shown, threshold: shown.map(Number), tp: counts(coded.tp), fp: counts(coded.fp), bounds: {}, positives, negatives,
      whole: coded.distinct + 1 === shown.length, prevalence: positives / (positives + negatives),
      start: coded.start, standing: coded.standing,
    };
    // bounds are told by their distance from the measure, those of the ratio as shares of a number near it
    const values = shown.map((_, i) => valuesAt(i, made));
    for (const name of MEASURES) {
      made.bounds[name] = coded.bounds[name].map((text) => unpacked(text).map((away, i) => {
        if (Math.abs(away) === ENDLESS) return away === UNDEFINED ? NaN : Infinity;
        const value = values[i][name];
        return ((Number.isFinite(value) ? Math.floor(value * units(name) + 0.5) : 0) + away) / units(name);
      }));
    }
    const near = (i) => (made.tp[i] + 0.5) / (positives + 1) / ((made.fp[i] + 0.5) / (negatives + 1));
    made.bounds[RATIO] = coded.bounds[RATIO].map((text, isHigh) => unpacked(text).map((share, i) => {
      if (share === UNDEFINED) return NaN;
      return isHigh ? (near(i) * 10000) / share : (near(i) * share) / 10000;
    }));
    return made;
  };

  const valuesAt = (i, of = cuts) => { // the library has the same, operation by operation
    const { positives, negatives } = of, tp = of.tp[i], fp = of.fp[i], fn = positives - tp, tn = negatives - fp;
    const precision = ratio(tp, tp + fp), share = ratio(tp, tp + fp + fn);
    const n = positives + negatives, called = tp + fp, others = n - called;
    const both = n * (tp + tn) - (positives * called + negatives * others);
    const spread = (n * n - (positives * positives + negatives * negatives)) * (n * n - (called * called + others * others));
    return {
      tp, fp, fn, tn, precision, recall: ratio(tp, tp + fn), specificity: ratio(tn, tn + fp),
      f1: (2 * share) / (1 + share), mcc: spread === 0 ? NaN : both / Math.sqrt(spread),
      lift: ratio(precision, of.prevalence),
    };
  };

  // costs

  const field = (id, otherwise) => {
    const value = byId(id).valueAsNumber;
    return Number.isFinite(value) && value >= 0 ? value : otherwise;
  };
  const prices = () => {
    const given = view().costs;
    return { tp: given.tp || 0, tn: given.tn || 0, fp: field("cost-fp", given.fp), fn: field("cost-fn", given.fn) };
  };
  const matrix = (price) => (view().first // in the order of the labels
    ? `[[${price.tp}, ${price.fn}], [${price.fp}, ${price.tn}]]`
    : `[[${price.tn}, ${price.fp}], [${price.fn}, ${price.tp}]]`);
  const prevalence = () => (at.prevalence === null ? cuts.prevalence : at.prevalence);
  const costAt = (i) => {
    const p = prevalence(), price = prices(), v = valuesAt(i);
    const cost = at.prevalence === null
      ? (v.tp * price.tp + v.fn * price.fn + v.fp * price.fp + v.tn * price.tn) / (cuts.positives + cuts.negatives)
      : p * (v.recall * price.tp + (1 - v.recall) * price.fn)
        + (1 - p) * ((1 - v.specificity) * price.fp + v.specificity * price.tn);
    let down = 0, up = 0;
    for (const [name, slope] of [["recall", p * (price.tp - price.fn)], ["specificity", (1 - p) * (price.tn - price.fp)]]) {
      const ends = cuts.bounds[name].map((bound) => slope * (bound[i] - v[name])).sort((a, b) => a - b);
      down = Math.hypot(down, ends[0]);
      up = Math.hypot(up, ends[1]);
    }
    return [cost, cost - down, cost + up];
  };
  const elsewhere = (likelihoodRatio, p) =>
    likelihoodRatio === Infinity ? 1 : ratio(likelihoodRatio * p, likelihoodRatio * p + 1 - p);

  // what is shown at the threshold

  const showMeasures = (i) => {
    const v = valuesAt(i), p = prevalence();
    const put = (name, value, bounds) => {
      say(byId(`m-${name}`), value);
      say(byId(`b-${name}`), value === "–" && UNDEFINED_WHEN[name] ? UNDEFINED_WHEN[name] : bounds);
    };
    for (const name of MEASURES) {
      const shown = RATES.includes(name) ? rateText : written;
      put(name, written(v[name]), cuts.bounds[name].map((bound) => shown(bound[i])).join(" to "));
    }
    if (at.prevalence !== null) {
      const precision = ratio(p * v.recall, p * v.recall + (1 - p) * (1 - v.specificity));
      const bounds = cuts.bounds[RATIO].map((bound) => elsewhere(bound[i], p));
      put("precision", written(precision), bounds.map((b) => written(b)).join(" to "));
      put("lift", written(ratio(precision, p)), bounds.map((b) => written(ratio(b, p))).join(" to "));
      for (const name of ["f1", "mcc"]) {
        say(byId(`m-${name}`), "–");
        say(byId(`b-${name}`), "for these rows only");
      }
    }
    const cost = costAt(i);
    put("cost", written(cost[0]), `${written(cost[1])} to ${written(cost[2])}`);
    return v;
  };

  const showMatrix = (v) => {
    const cells = { tp: [v.tp + v.fn, v.tp + v.fp], fn: [v.tp + v.fn, v.fn + v.tn],
      fp: [v.fp + v.tn, v.tp + v.fp], tn: [v.fp + v.tn, v.fn + v.tn] };
    for (const [name, [row, column]] of Object.entries(cells)) {
      say(byId(name), counted(v[name]));
      say(byId(`${name}-row`), percent(v[name], row));
      say(byId(`${name}-column`), percent(v[name], column));
    }
  };

  const placed = (svg, chart, x, y) => {
    const [left, top, wide, high] = svg.dataset.box.split(" ").map(Number);
    return [left + ((x - chart.x[0]) / (chart.x[1] - chart.x[0])) * wide,
      top + high - ((y - chart.y[0]) / (chart.y[1] - chart.y[0])) * high];
  };
  const showMarks = (i, v) => {
    const share = (v.tp + v.fp) / (cuts.positives + cuts.negatives);
    const dots = { roc: [1 - v.specificity, v.recall], pr: [v.recall, v.precision], gains: [share, v.recall], lift: [share, v.lift] };
    for (const svg of all("svg[data-chart]")) {
      const chart = view().charts[svg.dataset.chart], dot = svg.querySelector(".dot"), cursor = svg.querySelector(".cursor");
      if (!chart) continue;
      if (dot) {
        const [x, y] = dots[svg.dataset.chart];
        const seen = Number.isFinite(x + y) && y <= chart.y[1];
        dot.setAttribute("visibility", seen ? "visible" : "hidden");
        if (seen) {
          const [cx, cy] = placed(svg, chart, x, y);
          dot.setAttribute("cx", cx.toFixed(1));
          dot.setAttribute("cy", cy.toFixed(1));
        }
      }
      if (cursor) {
        const t = cuts.threshold[i];
        const seen = t >= chart.x[0] && t <= chart.x[1];
        cursor.setAttribute("visibility", seen ? "visible" : "hidden");
        const [, top, , high] = svg.dataset.box.split(" ").map(Number);
        if (seen) cursor.setAttribute("d", `M${placed(svg, chart, t, 0)[0].toFixed(1)} ${top}v${high}`);
      }
    }
  };

  let speaking = 0;
  const speak = (text) => {
    clearTimeout(speaking);
    speaking = setTimeout(() => say(byId("spoken"), text), 350);
  };

  const show = () => {
    const i = at.place, threshold = at.said || (cuts.shown[i] === "Infinity" ? "∞" : cuts.shown[i]);
    const v = showMeasures(i);
    showMatrix(v);
    showMarks(i, v);
    const called = counted(v.tp + v.fp), share = percent(v.tp + v.fp, cuts.positives + cuts.negatives);
    say(byId("threshold-out"), threshold);
    say(byId("standing-threshold"), threshold);
    say(byId("called"), called);
    say(byId("share"), share);
    const slider = byId("slider"), typed = byId("typed");
    if (document.activeElement !== typed) typed.value = Number.isFinite(Number(threshold)) ? threshold : "";
    slider.value = String(i);
    slider.setAttribute("aria-valuetext", `threshold ${threshold}, calls ${called} rows, ${share}`);
    const price = prices(), python = threshold === "∞" ? 'float("inf")' : threshold;
    say(byId("said-fp"), String(price.fp));
    say(byId("said-fn"), String(price.fn));
    const many = data.models[at.model].views.length > 1; // one class of many: by its own column of scores
    say(byId("as-python"), many
      ? `sf.assess(y_true == ${JSON.stringify(view().label)}, y_score=its_scores, threshold=${python})`
      : `a.at(${python}).measure("expected_cost", costs=${matrix(price)})`);
    byId("as-command").parentElement.hidden = many;
    say(byId("as-command"), `surefold assess FILE --threshold ${threshold === "∞" ? "inf" : threshold} --costs fp=${price.fp},fn=${price.fn}`);
    say(byId("as-link"), stateNow());
    remember();
    speak(`Threshold ${threshold}: ${called} rows called, recall ${written(v.recall)}, precision ${written(v.precision)}, cost ${written(costAt(i)[0])}.`);
  };

  // the address says where we stand, so that it can be sent on; what it says is looked up, never written anywhere

  let ready = false, writing = 0;
  const stateNow = () => {
    const said = new URLSearchParams(), given = view() ? view().costs : null;
    const named = (key, all, i) => {
      const one = !/^\d*$/.test(all[i]) && all.filter((name) => name === all[i]).length === 1;
      if (all.length > 1) said.set(key, one ? all[i] : String(i));
    };
    named("model", data.models.map((model) => model.name), at.model);
    if (given && cuts) {
      named("class", data.models[at.model].views.map((it) => it.label), at.view);
      said.set("t", at.said || cuts.shown[at.place]);
      const price = prices();
      for (const name of ["fp", "fn"]) if (price[name] !== given[name]) said.set(name, String(price[name]));
      if (at.prevalence !== null) said.set("prev", String(Number((100 * at.prevalence).toPrecision(12))));
    }
    return `#${said}`;
  };
  const remember = () => {
    if (!ready) return;
    clearTimeout(writing);
    writing = setTimeout(() => {
      try { history.replaceState(null, "", stateNow()); } catch { /* some viewers keep the address to themselves */ }
    }, 250);
  };
  const restore = () => {
    const said = new URLSearchParams(location.hash.slice(1));
    if (!["model", "class", "t", "fp", "fn", "prev"].some((key) => said.has(key))) return;
    const chosen = (key, all) => {
      const wanted = said.get(key), place = all.indexOf(wanted);
      if (wanted === null) return 0;
      return place >= 0 ? place : /^\d{1,4}$/.test(wanted) && Number(wanted) < all.length ? Number(wanted) : 0;
    };
    const amount = (key, most) => {
      const value = said.get(key) ? Number(said.get(key)) : NaN;
      return value >= 0 && value <= most ? value : null;
    };
    if (said.has("model") && byId("model")) {
      at.model = chosen("model", data.models.map((model) => model.name));
      byId("model").selectedIndex = at.model;
      showModel();
    }
    at.view = chosen("class", data.models[at.model].views.map((it) => it.label));
    byId("class").selectedIndex = at.view;
    showView();
    if (!view() || !byId("slider")) return;
    for (const name of ["fp", "fn"]) if (amount(name, 1e12) !== null) byId(`cost-${name}`).value = String(amount(name, 1e12));
    const percentage = amount("prev", 100);
    if (percentage !== null) {
      byId("prevalence").value = String(percentage);
      at.prevalence = percentage / 100;
    }
    const t = said.get("t") ? Number(said.get("t")) : NaN;
    const place = cuts.shown.indexOf(said.get("t"));
    if (t === 0.5 && view().probabilities) moves["to-half"]();
    else if (place >= 0) moveTo(place);
    else if (!Number.isNaN(t)) moveTo(atThreshold(t), cuts.whole && Number.isFinite(t) ? String(t) : "");
    else show();
  };

  // moving

  const moveTo = (place, said = "") => {
    at.place = Math.min(Math.max(place, 0), cuts.shown.length - 1);
    at.said = said;
    show();
  };
  const best = (goodness) => {
    let place = 0, most = -Infinity;
    for (let i = 0; i < cuts.shown.length; i += 1) {
      const value = goodness(i);
      if (value > most + 1e-12) { most = value; place = i; }
    }
    return place;
  };
  const atThreshold = (value) => {
    let place = 0;
    for (let i = 0; i < cuts.threshold.length; i += 1) if (cuts.threshold[i] >= value) place = i;
    return place;
  };
  const youden = (i) => { const v = valuesAt(i); return v.recall + v.specificity; };
  const moves = {
    "to-half": () => moveTo(atThreshold(0.5), "0.5"),
    "to-cost": () => moveTo(best((i) => -costAt(i)[0])),
    "to-youden": () => moveTo(best(youden)),
    "to-top": () => {
      const wanted = field("top", 10) / 100, total = cuts.positives + cuts.negatives;
      moveTo(best((i) => -Math.abs((cuts.tp[i] + cuts.fp[i]) / total - wanted)));
    },
  };

  // drawing a model

  const table = (element, shown) => {
    const cell = (tag, text, scope) => {
      const made = document.createElement(tag);
      if (scope) {
        made.scope = scope;
        const isolated = document.createElement("bdi");
        isolated.textContent = text;
        made.append(isolated);
      } else made.textContent = text;
      return made;
    };
    const row = (cells) => { const made = document.createElement("tr"); made.append(...cells); return made; };
    const numeric = shown.numeric || [];
    element.tHead.replaceChildren(row(shown.head.map((text, c) => {
      const made = cell("th", text, "col");
      if (numeric.includes(c)) made.className = "n";
      return made;
    })));
    element.tBodies[0].replaceChildren(...shown.rows.map((texts, r) => row(texts.map((text, c) => {
      const made = c === 0 ? cell("th", text, "row") : cell("td", text);
      if (shown.heat && c > 0) made.className = `h${shown.heat[r][c - 1]}`;
      else if (numeric.includes(c)) made.className = "n";
      return made;
    }))));
    for (const note of all(`[data-table-note="${element.dataset.table}"]`)) {
      note.textContent = shown.note || "";
      note.hidden = !shown.note;
    }
  };
  const tables = (shown, keys) => {
    for (const key of keys) {
      const element = document.querySelector(`table[data-table="${key}"]`);
      if (!element) continue;
      element.parentElement.hidden = !shown[key];
      for (const holder of all(`[data-holds="${key}"]`)) holder.hidden = !shown[key];
      if (shown[key]) table(element, shown[key]);
    }
  };

  const STATUS = { better: "Better", worse: "Worse", cannot_tell: "Cannot tell" };
  const part = (name, text) => {
    const made = document.createElement("span");
    made.className = name;
    made.textContent = text;
    return made;
  };
  const showModel = () => {
    const model = data.models[at.model];
    const status = byId("status");
    if (status) status.className = `status ${model.status}`;
    say(status, STATUS[model.status]);
    say(byId("model-name"), model.name);
    say(byId("verdict-sentence"), model.verdict);
    byId("headlines").replaceChildren(...model.headlines.map((it) => {
      const made = document.createElement("li");
      made.append(part("what", it.name), part("big", it.value), part("bounds", it.bounds), part("how", it.method));
      return made;
    }));
    byId("facts").replaceChildren(...model.facts.map(([name, value]) => {
      const made = document.createElement("div"), term = document.createElement("dt"), said = document.createElement("dd");
      const isolated = document.createElement("bdi");
      term.textContent = name;
      isolated.textContent = value;
      said.append(isolated);
      made.append(term, said);
      return made;
    }));
    byId("findings-box").hidden = model.findings.length === 0;
    byId("findings").replaceChildren(...model.findings.map(([severity, sentence, code]) => {
      const made = document.createElement("li"), kind = document.createElement("b");
      const isolated = document.createElement("bdi"), mark = document.createElement("code");
      made.className = severity === "warning" ? "warning" : "note-only";
      kind.textContent = severity;
      isolated.textContent = sentence;
      mark.textContent = code;
      made.append(kind, " ", isolated, " ", mark);
      return made;
    }));
    remember();
    const why = byId("no-views");
    say(why, model.no_views);
    if (why) why.hidden = !model.no_views;
    tables(model.tables, ["measures", "classes", "confusion"]);
    for (const section of all("[data-needs=view]")) section.hidden = model.views.length === 0;
    const choice = byId("class");
    choice.replaceChildren(...model.views.map((it, i) => {
      const made = document.createElement("option");
      made.value = String(i);
      made.textContent = it.label;
      return made;
    }));
    byId("class-choice").hidden = model.views.length < 2;
  };

  const showView = () => {
    const shown = view();
    if (!shown || !byId("slider")) return;
    cuts = decoded(shown.cuts);
    at.prevalence = null;
    for (const name of all("[data-positive]")) name.textContent = shown.label;
    for (const figure of all("[data-needs=view] [data-figure]")) { // other figures are of no one model
      const chart = shown.charts[figure.dataset.figure];
      figure.hidden = !chart;
      if (chart) drawChart(figure, chart);
    }
    tables(shown.tables, ["probabilities"]);
    byId("to-half").hidden = !shown.probabilities;
    byId("slider").max = String(cuts.shown.length - 1);
    byId("cost-fp").value = String(shown.costs.fp);
    byId("cost-fn").value = String(shown.costs.fn);
    byId("prevalence").value = Number((100 * cuts.prevalence).toPrecision(4));
    moveTo(cuts.start, cuts.standing);
  };
  const drawChart = (figure, chart) => {
    const svg = figure.querySelector("svg");
    for (const path of all("[data-shape]", svg)) path.setAttribute("d", chart.p[path.dataset.shape] || "");
    for (const text of all("[data-note]", svg)) {
      const [x, y, words] = chart.n[text.dataset.note] || [0, 0, ""];
      text.setAttribute("x", x);
      text.setAttribute("y", y);
      text.textContent = words;
    }
    for (const [axis, name] of [["x", "xTick"], ["y", "yTick"]]) {
      for (const text of all(`[data-${axis}-tick]`, svg)) text.textContent = chart[axis][2 + Number(text.dataset[name])];
    }
    svg.setAttribute("aria-label", `${figure.querySelector("h3").textContent}. ${chart.s}`);
    say(figure.querySelector("figcaption"), chart.s);
    figure.querySelector("tbody").replaceChildren(...chart.t.split("|").map((line) => {
      const made = document.createElement("tr");
      made.append(...line.split(" ").map((text) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        return cell;
      }));
      return made;
    }));
  };

  // listening

  const on = (id, event, act) => { const element = byId(id); if (element) element.addEventListener(event, act); };
  on("slider", "input", (event) => moveTo(Number(event.target.value)));
  for (const [id, act] of Object.entries(moves)) on(id, "click", act);
  on("typed", "change", (event) => {
    const value = event.target.valueAsNumber;
    if (Number.isFinite(value)) moveTo(atThreshold(value), cuts.whole ? String(value) : "");
  });
  for (const id of ["cost-fp", "cost-fn"]) on(id, "input", show);
  on("prevalence", "input", (event) => {
    const value = event.target.valueAsNumber / 100;
    const own = Number((100 * cuts.prevalence).toPrecision(4)) / 100;
    at.prevalence = Number.isFinite(value) && value >= 0 && value <= 1 && value !== own ? value : null;
    show();
  });
  on("model", "change", (event) => { at.model = Number(event.target.value); at.view = 0; showModel(); showView(); });
  on("class", "change", (event) => { at.view = Number(event.target.value); showView(); });
  for (const button of all("[data-copy]")) {
    const words = button.textContent;
    button.addEventListener("click", async () => {
      const source = byId(button.dataset.copy), isLink = button.dataset.copy === "as-link";
      const copied = isLink ? location.href.split("#")[0] + stateNow() : source.textContent;
      let done = "Copied";
      try {
        await navigator.clipboard.writeText(copied);
      } catch {
        source.textContent = copied;
        getSelection().selectAllChildren(source);
        done = "Selected: press Ctrl+C";
      }
      button.textContent = done;
      setTimeout(() => { button.textContent = words; }, 1600);
    });
  }
  on("download", "click", () => {
    const plain = (it) => { // thresholds, counts and bounds as numbers
      const { shown, tp, fp, positives, negatives, bounds } = decoded(it.cuts);
      return { ...it, cuts: { threshold: shown, tp, fp, positives, negatives, bounds } };
    };
    const whole = { ...data, models: data.models.map((model) => ({ ...model, views: model.views.map(plain) })) };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" }));
    link.download = "surefold-report.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
  on("theme", "click", (event) => {
    const root = document.documentElement;
    const dark = getComputedStyle(root).colorScheme === "dark";
    root.dataset.theme = dark ? "light" : "dark";
    event.target.setAttribute("aria-pressed", String(!dark));
  });
  addEventListener("hashchange", () => { if (ready) restore(); });

  // the start

  const start = async () => {
    const theme = byId("theme");
    theme.hidden = false;
    theme.setAttribute("aria-pressed", String(getComputedStyle(document.documentElement).colorScheme === "dark"));
    if (typeof DecompressionStream === "undefined") { // the page stays as it was written
      byId("too-old").hidden = data.models.length === 0;
      return;
    }
    data.models = await Promise.all(data.models.map(inflated));
    for (const element of all(".needs-script")) element.hidden = false;
    const first = data.models.length ? data.models[0].views.length : 0; // ranks over data sets are of no model
    byId("class-choice").hidden = first < 2;
    if (byId("model")) byId("model").selectedIndex = 0; // a browser may have kept another choice
    if (first) showView();
    if (data.models.length) restore();
    ready = true;
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  };
  start();
})();
