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
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    let text = value.toFixed(digits);
    if (Math.abs(value * 2 ** (digits + 1)) % 2 === 1) { // a tie, which Python rounds to the even side
      const below = Math.floor(value * 10 ** digits);
      text = ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
    }
    return text.replace("-", /[1-9]/.test(text) ? "−" : "");
  };
  const general = (value, digits = 3) => { // so many digits, however large or small it is
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    if (Number(power) >= -4 && Number(power) < digits) return String(Number(value.toPrecision(digits)));
    return `${Number(mantissa)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  };
  const amount = (value) => {
    const size = Math.abs(value);
    return Number.isFinite(value) && size > 0 && !(size >= 0.001 && size < 1e6) ? general(value) : written(value);
  };
  const counted = (value) => {
    if (Math.abs(value) >= 1e15) return general(value, 4);
    if (value !== 0 && Math.abs(value) < 1) return general(value);
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
  const OUTCOMES = { fp: "a false positive", fn: "a false negative", tp: "a true positive", tn: "a true negative" };
  const units = (name) => (RATES.includes(name) ? 10000 : 1000);
  const rateText = (rate) => written(Math.floor((Math.round(rate * 10000) + 5) / 10) / 1000);

  // where we stand

  const at = { model: 0, view: 0, place: 0, said: "", prevalence: null, costs: {}, top: 10, moved: false };
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
      start: coded.start, standing: coded.standing, shares: coded.shares,
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

  const prices = () => ({ tp: 0, tn: 0, ...view().costs, ...at.costs }); // those that were typed stand for those given
  const matrix = (price) => (view().first // in the order of the labels
    ? `[[${price.tp}, ${price.fn}], [${price.fp}, ${price.tn}]]`
    : `[[${price.tn}, ${price.fp}], [${price.fn}, ${price.tp}]]`);
  const prevalence = () => (at.prevalence === null ? cuts.prevalence : at.prevalence);
  const costOnly = (i) => {
    const p = prevalence(), price = prices(), v = valuesAt(i);
    if (at.prevalence === null) {
      return (v.tp * price.tp + v.fn * price.fn + v.fp * price.fp + v.tn * price.tn) / (cuts.positives + cuts.negatives);
    }
    return p * (v.recall * price.tp + (1 - v.recall) * price.fn)
      + (1 - p) * ((1 - v.specificity) * price.fp + v.specificity * price.tn);
  };
  const costAt = (i) => { // a prevalence that was typed is known; that of the rows has a margin of its own
    const p = prevalence(), price = prices(), v = valuesAt(i), all = Object.values(price);
    const [least, most] = at.prevalence === null ? cuts.shares : [p, p];
    const ofPositive = v.recall * price.tp + (1 - v.recall) * price.fn;
    const ofNegative = (1 - v.specificity) * price.fp + v.specificity * price.tn;
    const made = p * ofPositive + (1 - p) * ofNegative;
    const margins = (name) => cuts.bounds[name].map((bound) => bound[i] - v[name]);
    let down = 0, up = 0;
    for (const [slope, away] of [
      [Math.hypot(p, most - p) * (price.tp - price.fn), margins("recall")],
      [Math.hypot(1 - p, p - least) * (price.tn - price.fp), margins("specificity")],
      [ofPositive - ofNegative, [least - p, most - p]],
    ]) {
      const ends = away.map((margin) => slope * margin);
      down = Math.hypot(down, Math.min(...ends));
      up = Math.hypot(up, Math.max(...ends));
    }
    return [costOnly(i), Math.max(made - down, Math.min(...all)), Math.min(made + up, Math.max(...all))];
  };
  const elsewhere = (likelihoodRatio, p) =>
    likelihoodRatio === Infinity ? 1 : ratio(likelihoodRatio * p, likelihoodRatio * p + 1 - p);

  // what is shown at the threshold

  const percentOf = (share, digits = 4) => Number((100 * share).toPrecision(digits));
  const showMeasures = (i) => {
    const v = valuesAt(i), p = prevalence(), shown = {};
    const why = (name) => (name === "lift" && p === 0 && v.tp + v.fp > 0 ? "no positives there" : UNDEFINED_WHEN[name]);
    const put = (name, value, bounds) => {
      shown[name] = value;
      say(byId(`m-${name}`), value);
      say(byId(`b-${name}`), value === "–" && why(name) ? why(name) : bounds);
    };
    for (const name of MEASURES) {
      const text = RATES.includes(name) ? rateText : written;
      put(name, written(v[name]), cuts.bounds[name].map((bound) => text(bound[i])).join(" to "));
    }
    if (at.prevalence !== null) {
      const precision = ratio(p * v.recall, p * v.recall + (1 - p) * (1 - v.specificity));
      const bounds = cuts.bounds[RATIO].map((bound) => elsewhere(bound[i], p));
      put("precision", amount(precision), bounds.map(amount).join(" to "));
      put("lift", amount(p === 0 ? NaN : ratio(precision, p)), bounds.map((b) => amount(ratio(b, p))).join(" to "));
      for (const name of ["f1", "mcc"]) {
        say(byId(`m-${name}`), "–");
        say(byId(`b-${name}`), "for these rows only");
      }
    }
    const [cost, low, high] = costAt(i), there = byId("prevalence-said");
    put("cost", amount(cost), `${amount(low)} to ${amount(high)}`);
    there.hidden = at.prevalence === null;
    say(there, at.prevalence === null ? "" : `At a prevalence of ${percentOf(p)}% (rows: ${percentOf(cuts.prevalence)}%), `
      + "taken as known. The table above counts the rows as they are.");
    return [v, shown];
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
    const [v, shown] = showMeasures(i), many = v.tp + v.fp;
    showMatrix(v);
    showMarks(i, v);
    const share = percent(many, cuts.positives + cuts.negatives);
    const called = view().weighted ? `rows of weight ${counted(many)}` : `${counted(many)} row${many === 1 ? "" : "s"}`;
    say(byId("threshold-out"), threshold);
    say(byId("standing-threshold"), threshold);
    say(byId("called"), called);
    say(byId("share"), share);
    const slider = byId("slider"), typed = byId("typed");
    if (document.activeElement !== typed) typed.value = Number.isFinite(Number(threshold)) ? threshold : "";
    slider.value = String(cuts.shown.length - 1 - i); // thresholds rise to the right
    slider.setAttribute("aria-valuetext", `threshold ${threshold}, calls ${called}, ${share}`);
    const price = prices(), priced = Object.keys(OUTCOMES).filter((key) => key === "fp" || key === "fn" || price[key] !== 0);
    say(byId("said-costs"), priced.map((key) => `${asPython(price[key])} ${OUTCOMES[key]}`).join(", "));
    showCopies(threshold, price, priced);
    remember();
    const there = at.prevalence === null ? "" : ` At a prevalence of ${percentOf(at.prevalence)}%:`;
    speak(`Threshold ${threshold} calls ${called}.${there} Recall ${shown.recall}, precision ${shown.precision}, cost ${shown.cost}.`);
  };

  const showCopies = (threshold, price, priced) => {
    const model = data.models[at.model], shown = view(), { column } = shown;
    const python = threshold === "∞" ? 'float("inf")' : threshold;
    const left = at.prevalence === null ? "" : `  # at the prevalence of the rows, not ${percentOf(at.prevalence)}%`;
    if (column === null) say(byId("as-python"), `${model.python}.at(${python}).measure("expected_cost", costs=${matrix(price)})${left}`);
    else { // one class of many: by its own column of scores
      const costs = priced.map((key) => `"${key}": ${asPython(price[key])}`).join(", ");
      const label = shown.python || `${model.python}.labels[${column}]`;
      const level = data.confidence === 0.95 ? "" : `, confidence=${data.confidence}`;
      say(byId("as-python"), `sf.assess([y == ${label} for y in y_true], y_score=[row[${column}] for row in y_score], `
        + `pos_label=True, threshold=${python}, costs={${costs}}${level})["expected_cost"]${left}`);
    }
    const hasCommand = Boolean(data.source.again) && column === null;
    for (const element of [byId("as-command"), document.querySelector("[data-copy=as-command]")]) element.hidden = !hasCommand;
    const costs = priced.map((key) => `${key}=${asPython(price[key])}`).join(",");
    say(byId("as-command"), `${data.source.again} --threshold ${threshold === "∞" ? "inf" : threshold} --costs ${costs}${left}`);
    say(byId("as-link"), stateNow());
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
      if (at.prevalence !== null) said.set("prev", String(percentOf(at.prevalence, 12)));
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
    if (location.hash === "#glossary") byId("glossary").open = true;
    if (data.models.length === 0) return;
    const names = ["model", "class", "t", "fp", "fn", "prev"];
    if (!names.some((key) => said.has(key)) && !(ready && location.hash.length < 2)) return; // a section was gone to
    Object.assign(at, { costs: {}, prevalence: null, moved: false });
    const chosen = (key, all) => {
      const wanted = said.get(key), place = all.indexOf(wanted);
      if (wanted === null) return 0;
      return place >= 0 ? place : /^\d{1,4}$/.test(wanted) && Number(wanted) < all.length ? Number(wanted) : 0;
    };
    const given = (key, most) => {
      const value = said.get(key) ? Number(said.get(key)) : NaN;
      return value >= 0 && value <= most ? value : null;
    };
    if (byId("model")) {
      at.model = chosen("model", data.models.map((model) => model.name));
      byId("model").selectedIndex = at.model;
      showModel();
    }
    at.view = chosen("class", data.models[at.model].views.map((it) => it.label));
    byId("class").selectedIndex = at.view;
    showView();
    if (!view() || !byId("slider")) return;
    for (const name of ["fp", "fn"]) if (given(name, Number.MAX_VALUE) !== null) at.costs[name] = given(name, Number.MAX_VALUE);
    const percentage = given("prev", 100);
    if (percentage !== null) at.prevalence = percentage / 100;
    fill();
    const t = said.get("t") ? Number(said.get("t")) : NaN;
    const place = cuts.shown.indexOf(said.get("t"));
    if (said.get("t") === cuts.standing && cuts.standing) moveTo(cuts.start, cuts.standing);
    else if (t === 0.5 && view().probabilities) moves["to-half"]();
    else if (place >= 0) moveTo(place);
    else if (!Number.isNaN(t)) moveTo(atThreshold(t), cuts.whole && Number.isFinite(t) ? String(t) : "");
    else show();
  };

  // moving

  const moveTo = (place, said = "") => {
    at.place = Math.min(Math.max(place, 0), cuts.shown.length - 1);
    at.said = said;
    at.moved = true;
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
    "to-cost": () => moveTo(best((i) => -costOnly(i))),
    "to-youden": () => moveTo(best(youden)),
    "to-top": () => {
      const wanted = at.top / 100, total = cuts.positives + cuts.negatives;
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
    say(status, model.badge);
    say(byId("model-name"), model.name);
    say(byId("verdict-sentence"), model.sentence);
    byId("more").hidden = model.more.length === 0;
    byId("more").replaceChildren(...model.more.map((sentence) => {
      const made = document.createElement("li"), isolated = document.createElement("bdi");
      isolated.textContent = sentence;
      made.append(isolated);
      return made;
    }));
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
    showLeftOut();
  };
  const showLeftOut = () => {
    const left = data.models[at.model].left_out;
    say(byId("left-out"), left);
    byId("left-out").hidden = !left;
  };

  // what was typed stays while models are looked through, and the threshold where scores are probabilities
  const showView = (before = null) => {
    const shown = view();
    if (!shown || !byId("slider")) return;
    const stays = before && before.moved && before.probabilities && shown.probabilities;
    cuts = decoded(shown.cuts);
    for (const name of all("[data-positive]")) name.textContent = shown.label;
    for (const name of all("[data-negative]")) name.textContent = shown.other || "not";
    say(byId("counts"), shown.weighted ? "Weight" : "Rows");
    say(byId("labels-differ"), shown.note);
    byId("labels-differ").hidden = !shown.note;
    for (const figure of all("[data-needs=view] [data-figure]")) { // other figures are of no one model
      const chart = shown.charts[figure.dataset.figure];
      figure.hidden = !chart;
      if (chart) drawChart(figure, chart);
    }
    tables(shown.tables, ["probabilities"]);
    byId("to-half").hidden = !shown.probabilities;
    byId("slider").max = String(cuts.shown.length - 1);
    fill();
    if (stays) moveTo(atThreshold(before.threshold), cuts.whole || before.threshold === 0.5 ? String(before.threshold) : "");
    else {
      moveTo(cuts.start, cuts.standing);
      at.moved = false;
    }
  };
  const fill = () => { // the boxes say what is counted with
    const price = prices();
    for (const name of ["fp", "fn"]) byId(`cost-${name}`).value = String(price[name]);
    byId("prevalence").value = percentOf(prevalence());
    byId("top").value = String(at.top);
    for (const id of Object.keys(ENTRIES)) accepted(id);
  };
  const standing = () => ({ moved: at.moved, probabilities: view() && view().probabilities,
    threshold: cuts ? Number((at.said || cuts.shown[at.place]).replace("∞", "Infinity")) : NaN });
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

  // entries: what they are called, the most they may be, and what is done with them

  const ENTRIES = {
    "cost-fp": ["the cost of a false positive", Number.MAX_VALUE, (value) => { at.costs.fp = value; }],
    "cost-fn": ["the cost of a false negative", Number.MAX_VALUE, (value) => { at.costs.fn = value; }],
    prevalence: ["the prevalence", 100, (value) => { at.prevalence = value === percentOf(cuts.prevalence) ? null : value / 100; }],
    top: ["the share to call", 100, (value) => { at.top = value; }],
  };
  const accepted = (id) => {
    byId(id).removeAttribute("aria-invalid");
    if (all("[aria-invalid]").length === 0) byId("entry-problem").hidden = true;
  };
  const refused = (id) => { // the last good value goes on being used
    const [name, most] = ENTRIES[id], price = prices();
    const used = { "cost-fp": price.fp, "cost-fn": price.fn, prevalence: `${percentOf(prevalence())}%`, top: `${at.top}%` }[id];
    byId(id).setAttribute("aria-invalid", "true");
    byId("entry-problem").hidden = false;
    say(byId("entry-problem"), `For ${name} give a number ${most === 100 ? "from 0 to 100" : "that is not negative"}; until then ${used} is used.`);
  };

  // listening

  const on = (id, event, act) => { const element = byId(id); if (element) element.addEventListener(event, act); };
  on("slider", "input", (event) => moveTo(cuts.shown.length - 1 - Number(event.target.value)));
  for (const [id, act] of Object.entries(moves)) on(id, "click", act);
  on("typed", "change", (event) => {
    const value = event.target.valueAsNumber;
    if (value === Number(cuts.standing) && cuts.standing) moveTo(cuts.start, cuts.standing);
    else if (Number.isFinite(value)) moveTo(atThreshold(value), cuts.whole ? String(value) : "");
    else show();
  });
  for (const [id, [, most, take]] of Object.entries(ENTRIES)) {
    on(id, "input", (event) => {
      const value = event.target.valueAsNumber;
      if (!(value >= 0 && value <= most)) { refused(id); return; }
      accepted(id);
      take(value);
      if (id !== "top") show();
    });
  }
  on("model", "change", (event) => {
    const before = standing();
    Object.assign(at, { model: Number(event.target.value), view: 0 });
    showModel();
    showView(before);
  });
  on("class", "change", (event) => { // a prevalence is that of one class
    Object.assign(at, { view: Number(event.target.value), prevalence: null });
    showView();
  });
  for (const button of all("[data-copy]")) {
    const words = button.textContent;
    button.addEventListener("click", async () => {
      const source = byId(button.dataset.copy), isLink = button.dataset.copy === "as-link";
      const copied = isLink ? location.href.split("#")[0] + stateNow() : source.textContent;
      let done = "Copied";
      try {
        await navigator.clipboard.writeText(copied);
      } catch {
        byId("copied").open = true;
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
      const threshold = shown.map((text) => (Number.isFinite(Number(text)) ? Number(text) : text));
      return { ...it, cuts: { threshold, tp, fp, positives, negatives, bounds } };
    };
    const whole = { ...data, models: data.models.map((model) => ({ ...model, views: model.views.map(plain) })) };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" }));
    const name = data.title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60);
    link.download = `${name || "surefold-report"}.json`;
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
    if (data.models.length) showLeftOut();
    if (byId("model")) byId("model").selectedIndex = 0; // a browser may have kept another choice
    if (first) showView();
    restore();
    ready = true;
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  };
  start();
})();
