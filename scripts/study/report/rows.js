'use strict';
// The rows of the results, and the numbers that pictures derive from them.

const data = JSON.parse(document.getElementById('data').textContent);
const allRows = data.rows.map(values =>
  Object.fromEntries(data.fields.map((name, i) => [name, values[i]])));
for (const row of allRows) row.file = data.files[row.file];

const distinct = values => [...new Set(values)];

// In the order of the files.
const kindsOfKeys = distinct(allRows.map(row => row.distribution));

const isPowerOfTwo = n => n > 0 && Number.isInteger(Math.log2(n));

// Three significant digits, or all digits before the decimal point.
function digits(value) {
  if (value === 0) return '0';
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 20));
}

function timeText(us) {
  const [unit, size] = us >= 1e6 ? ['s', 1e6] : us >= 1e3 ? ['ms', 1e3] : us >= 1 ? ['µs', 1]
    : ['ns', 1e-3];
  return `${digits(us / size)} ${unit}`;
}

function energyText(mj) {
  const [unit, size] = mj >= 1e3 ? ['J', 1e3] : mj >= 1 ? ['mJ', 1] : ['µJ', 1e-3];
  return `${digits(mj / size)} ${unit}`;
}

// 2²⁰, 2²⁰ − 3, 1.5 · 2²⁰, or the number.
function sizeText(n) {
  const power = k => '2' + [...String(k)].map(digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');
  if (isPowerOfTwo(n)) return power(Math.log2(n));
  if (n > 16 && isPowerOfTwo(n + 3)) return `${power(Math.log2(n + 3))} − 3`;
  if (n > 16 && isPowerOfTwo(n / 1.5)) return `1.5 · ${power(Math.log2(n / 1.5))}`;
  return n.toLocaleString('en');
}

const keptText = kept => `${+(100 * kept).toFixed(4)} %`;

const keysText = row => row.model ? `${row.distribution}: ${row.model}` : row.distribution;

// The label of a row's keys if several distributions are compared.
const kindText = row =>
  row.distribution + (row.kept === null ? '' : `, ${keptText(row.kept)}`);

function fileText(file) {
  const cub = file.cub && `CUB ${file.cub}`;
  return [file.gpu, file.commit.slice(0, 10), cub].filter(Boolean).join(' · ');
}

const perSecond = (row, us) => us > 0 ? row.n / us * 1e-3 : null;

// The measures of the Y axis, as functions of a row, a time, and the row that it is compared with. Measures
// that do not depend on a time are means, without quartiles.
const MEASURES = new Map([
  ['time', {
    text: () => 'time of one call', column: () => 'time_us',
    value: (row, us) => us, shown: timeText, scale: 'log', line: null}],
  ['throughput', {
    text: () => '10⁹ elements per second', column: () => '1e9_elements_per_s',
    value: perSecond, shown: digits, scale: 'linear', line: null}],
  ['roof', {
    text: () => `% of roof, from ${sizeText(data.roof_from)} elements`,
    column: () => 'percent_of_roof',
    value: (row, us) => row.n >= data.roof_from && row.roof_us !== null && us > 0
      ? 100 * row.roof_us / us : null,
    shown: value => `${digits(value)} %`, scale: 'linear', line: 100}],
  ['ratio', {
    text: to => `times as fast as ${to}`, column: to => `times_as_fast_as_${to}`,
    value: (row, us, base) => base && us > 0 ? base.median_us / us : null,
    shown: value => `${digits(value)}×`, scale: 'log', line: 1}],
  ['energy', {
    text: () => 'energy of one call', column: () => 'energy_mj',
    value: row => row.energy_mj, shown: energyText, scale: 'log', line: null, isMean: true}],
]);

// A file may have several tunings of a row: the fastest one represents it.
function fastestOfEach(rows, key) {
  const best = new Map();
  for (const row of rows) {
    const there = best.get(key(row));
    if (!there || row.median_us < there.median_us) best.set(key(row), row);
  }
  return best;
}

// Everything that identifies a measurement except the algorithm and its tuning. Ratios are computed within
// a file only.
const question = row => JSON.stringify(
  [data.files.indexOf(row.file), row.operation, row.mode, row.n, row.distribution, row.kept,
   row.variant]);

// The chosen rows as points: x, y, the ends of the quartiles, and labels.
function pointsOf(settled) {
  const {measure, to, x} = settled;
  const bases = fastestOfEach(settled.compared.filter(row => row.algorithm === to), question);
  const rows = [...fastestOfEach(settled.rows, row => question(row) + row.algorithm).values()];
  const points = [];
  for (const row of rows) {
    const base = bases.get(question(row));
    const [y, ...ends] = [row.median_us, row.q1_us, row.q3_us].map(
      us => measure.value(row, us, base));
    if (y === null || ends.includes(null)) continue;
    points.push({
      row, x: x === 'kept' ? 100 * row.kept : row.n, y,
      low: Math.min(...ends), high: Math.max(...ends),
      algorithm: row.algorithm, folder: row.file.folder, kind: kindText(row),
      at: x === 'kept' ? `${keptText(row.kept)} kept` : `n = ${sizeText(row.n)}`,
      shown: measure.shown(y),
      says: measure.isMean ? {mean: measure.shown(y)} : {
        median: measure.shown(y),
        quartiles: ends.sort((a, b) => a - b).map(measure.shown).join(' to ')},
    });
  }
  return points;
}
