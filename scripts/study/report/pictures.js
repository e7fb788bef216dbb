'use strict';
// Converts points to pictures: specifications for Vega-Lite.

const DARK = ['#e8e8e8', '#4da6e0', '#ff8a3d', '#2fc79a', '#e377b5', '#e0b341', '#9ad1f5', '#d4689c',
  '#a6c957', '#b39ddb', '#d99068', '#8fc1c1', '#ff9ed2', '#8aa4ff'];  // data.colours, on black
const SHAPES = [['circle', '●'], ['square', '■'], ['triangle-up', '▲'], ['diamond', '◆'],
  ['triangle-down', '▼'], ['cross', '✚'], ['triangle-right', '▶'], ['triangle-left', '◀']];
const DASHES = [[[], '———'], [[7, 4], '– – –'], [[2, 3], '·····'], [[9, 3, 2, 3], '– · –']];
const NARROW = 600;  // a phone's width, in pixels

// Each row has the same style in all pictures.
function lookOf(algorithm, isDark) {
  const i = data.algorithms.indexOf(algorithm);
  const colours = isDark ? DARK : data.colours;
  return {colour: colours[i % colours.length], shape: SHAPES[i % SHAPES.length]};
}

const dashOf = i => DASHES[i % DASHES.length];

// The label of a row if a heat map compares several folders.
const numberOf = i => i < 20 ? String.fromCodePoint('①'.codePointAt(0) + i) : `(${i + 1})`;

const inkOf = isDark => isDark ? {text: '#e4e4e4', muted: '#a8a8a8', grid: '#383838'}
  : {text: '#2b2b2b', muted: '#666666', grid: '#e2e2e2'};

function config(isDark) {
  const ink = inkOf(isDark);
  return {
    background: null, font: 'system-ui, sans-serif', view: {stroke: null},
    axis: {labelColor: ink.text, titleColor: ink.muted, titleFontWeight: 'normal',
           gridColor: ink.grid, domainColor: ink.muted, tickColor: ink.muted, labelFontSize: 12,
           titleFontSize: 12},
    legend: {labelColor: ink.text, titleColor: ink.muted, titleFontWeight: 'normal'},
  };
}

// The labels of an axis's values, as a Vega expression.
const labels = texts => `${JSON.stringify(Object.fromEntries(texts))}[datum.value]`;

const TIME_LABEL = 'datum.value >= 1e6 ? format(datum.value / 1e6, ",~r") + " s"'
  + ' : datum.value >= 1e3 ? format(datum.value / 1e3, ",~r") + " ms"'
  + ' : datum.value >= 1 || datum.value == 0 ? format(datum.value, ",~r") + " µs"'
  + ' : format(datum.value * 1e3, ",~r") + " ns"';

// The grid of a logarithmic axis: the fewer decades, the more lines per decade.
function ticks(points) {
  const lowest = points.reduce((y, point) => Math.min(y, point.low), Infinity);
  const highest = points.reduce((y, point) => Math.max(y, point.high), 0);
  const [first, last] = [Math.floor(Math.log10(lowest)), Math.ceil(Math.log10(highest))];
  const span = Math.log10(highest / lowest);
  const steps = span > 3 ? [1] : span > 1 ? [1, 2, 5]
    : [1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8];
  const decades = Array.from({length: last - first + 1}, (_, k) => 10 ** (first + k));
  return decades.flatMap(decade => steps.map(step => step * decade));
}

function sizeAxis(points) {
  const largest = points.reduce((n, point) => Math.max(n, point.x), 1);
  const powers = Array.from({length: Math.floor(Math.log2(largest)) + 1}, (_, k) => 2 ** k);
  return {values: powers, labelExpr: labels(powers.map(n => [n, sizeText(n)])),
          labelOverlap: 'greedy', labelSeparation: 6, title: 'n, elements'};
}

function xOf(points, settled) {
  const isLog = settled.x === 'n' && settled.values.get('xscale') === 'log';
  return {
    field: 'x', type: 'quantitative',
    scale: isLog ? {type: 'log', base: 2, nice: false} : {nice: false, zero: false},
    axis: isLog ? sizeAxis(points) : settled.x === 'n'
      ? {format: '~s', title: 'n, elements'} : {title: '% of the elements kept'},
  };
}

function yOf(points, settled) {
  const isLog = settled.values.get('yscale') === 'log';
  const isTime = settled.values.get('y') === 'time';
  return {
    field: 'y', type: 'quantitative', scale: isLog ? {type: 'log', nice: false, padding: 12} : {},
    axis: {title: settled.measure.text(settled.to), labelOverlap: 'greedy',
           ...(isLog && {values: ticks(points)}),
           ...(isTime ? {labelExpr: TIME_LABEL} : {format: ',~r'})},
  };
}

const canBeDrawn = (point, settled) =>
  (settled.x === 'kept' || settled.values.get('xscale') !== 'log' || point.x > 0)
  && (settled.values.get('yscale') !== 'log' || point.low > 0);

// For a point, or for the area in which it is the nearest point.
const TOOLTIP = {expr: '(datum.datum || datum).words'};

// The signal "cursor" is the index of the current point; only that point has a visible mark.
const CURSOR = [{name: 'cursor', value: -1}];
const AT_CURSOR = {condition: {test: 'datum.id === cursor', value: 1}, value: 0};
const POINTER = {name: 'pointed', select: {type: 'point', on: 'pointermove', nearest: true,
                                           fields: ['id'], clear: 'pointerout'}};

function lines(points, settled, isDark, width) {
  const algorithms = distinct(points.map(point => point.algorithm));
  const folders = distinct(points.map(point => point.folder));
  const looks = algorithms.map(name => lookOf(name, isDark));
  const colour = {field: 'algorithm', type: 'nominal', legend: null,
                  scale: {domain: algorithms, range: looks.map(look => look.colour)}};
  const shape = {field: 'algorithm', type: 'nominal', legend: null,
                 scale: {domain: algorithms, range: looks.map(look => look.shape[0])}};
  const dash = {field: 'folder', type: 'nominal', legend: null,
                scale: {domain: folders, range: folders.map((_, i) => dashOf(i)[0])}};
  const line = {x: xOf(points, settled), y: yOf(points, settled), color: colour,
                detail: {field: 'series', type: 'nominal'}};
  const layers = [
    {mark: {type: 'line', strokeWidth: 1.8}, encoding: {...line, strokeDash: dash}},
    {mark: {type: 'point', filled: true, size: 38, opacity: 1, tooltip: TOOLTIP},
     params: [POINTER], encoding: {...line, shape}},
    {mark: {type: 'point', size: 190, strokeWidth: 2, filled: false},
     encoding: {...line, opacity: AT_CURSOR}},
  ];
  if (settled.values.get('quartiles') === 'band') {
    layers.unshift({mark: {type: 'area', opacity: 0.2},
                    encoding: {...line, y: {...line.y, field: 'low'}, y2: {field: 'high'}}});
  }
  if (settled.measure.line !== null) {
    layers.unshift({data: {values: [{}]},
                    mark: {type: 'rule', color: inkOf(isDark).muted, strokeDash: [4, 4]},
                    encoding: {y: {...line.y, field: undefined, datum: settled.measure.line}}});
  }
  return {params: CURSOR, data: {values: points}, width: 'container',
          height: width < NARROW ? 320 : 460, layer: layers, config: config(isDark)};
}

// Sizes at which several distributions of keys were measured; all sizes if there is none.
function comparedSizes(points) {
  const kinds = new Map();
  for (const {x, kind} of points) kinds.set(x, (kinds.get(x) ?? new Set()).add(kind));
  const several = [...kinds.keys()].filter(n => kinds.get(n).size > 1);
  return (several.length ? several : [...kinds.keys()]).sort((a, b) => a - b);
}

const LARGEST_RATIO = 3;  // of the colour scale: 2^3

function heatMap(points, settled, isDark, width) {
  const sizes = distinct(points.map(point => point.x)).sort((a, b) => a - b);
  const limit = Math.min(LARGEST_RATIO, points.reduce(
    (most, point) => Math.max(most, Math.abs(point.log)), 0.5));
  const colours = isDark ? ['#ff8a3d', '#2a2d31', '#4da6e0'] : ['#d55e00', '#f2f2f2', '#0072b2'];
  const x = {field: 'x', type: 'ordinal', scale: {domain: sizes},
             axis: {labelExpr: labels(sizes.map(n => [n, sizeText(n)])), labelAngle: 0,
                    labelOverlap: 'greedy', title: 'n, elements', ticks: false, domain: false}};
  const y = {field: 'series', type: 'nominal', sort: null,
             axis: {title: null, labelLimit: width < NARROW ? 150 : 320, ticks: false,
                    domain: false}};
  const colour = {
    field: 'log', type: 'quantitative',
    scale: {domain: [-limit, 0, limit], range: colours, interpolate: 'lab', clamp: true},
    legend: {title: settled.measure.text(settled.to), orient: 'top', gradientLength: 200,
             labelExpr: 'format(pow(2, datum.value), ".2~f") + "×"', tickCount: 5}};
  const layers = [
    {mark: {type: 'rect', tooltip: TOOLTIP},
     params: [{...POINTER, select: {...POINTER.select, nearest: false}}],
     encoding: {x, y, color: colour}},
    {mark: {type: 'rect', fill: null, strokeWidth: 2, stroke: inkOf(isDark).text},
     encoding: {x, y, opacity: AT_CURSOR}},
  ];
  if ((width - 180) / sizes.length > 38) {
    const isDeep = `abs(datum.log) > ${0.55 * limit}`;
    const [onDeep, onPale] = isDark ? ['#000000', '#e4e4e4'] : ['#ffffff', '#2b2b2b'];
    layers.push({mark: {type: 'text', fontSize: 11.5}, encoding: {
      x, y, text: {field: 'shown'},
      color: {condition: {test: isDeep, value: onDeep}, value: onPale}}});
  }
  const lineCount = distinct(points.map(point => point.series)).length;
  return {params: CURSOR, data: {values: points}, width: 'container', height: 26 * lineCount,
          layer: layers, config: config(isDark)};
}

// Adds to each point its description, its index, and the name of its line.
function drawnPoints(settled) {
  const folders = settled.values.get('folders');
  const several = folders.length > 1;
  const map = isHeatMap(settled.values);
  const all = pointsOf(settled);
  const sizes = new Set(map ? comparedSizes(all) : []);
  const drawn = all.filter(point => map ? point.y > 0 && sizes.has(point.x)
    : canBeDrawn(point, settled));
  for (const point of drawn) {
    const where = several ? ` · ${fileText(point.row.file)}` : '';
    point.words = {row: point.algorithm + (map ? `, ${point.kind}` : '') + where, at: point.at,
                   ...point.says};
    const number = several ? `${numberOf(folders.indexOf(point.folder))} ` : '';
    point.series = number + (map ? point.kind : point.algorithm);
    point.log = Math.log2(point.y);
  }
  drawn.sort((a, b) => seriesOrder(a, b) || a.x - b.x);
  drawn.forEach((point, i) => { point.id = i; });
  return drawn;
}

function seriesOrder(a, b) {
  const place = point => [
    data.algorithms.indexOf(point.algorithm), kindsOfKeys.indexOf(point.row.distribution),
    point.row.kept ?? 0, data.files.indexOf(point.row.file)];
  const [left, right] = [place(a), place(b)];
  const i = left.findIndex((value, j) => value !== right[j]);
  return i < 0 ? 0 : left[i] < right[i] ? -1 : 1;
}

const pictureOf = settled => isHeatMap(settled.values) ? heatMap : lines;
