'use strict';
// The state of the controls, one value each. The options of a control depend on the values of the
// controls before it. A value that was not chosen, or that is not an option, is replaced by the default.

const MODES = new Map([
  ['cold', 'cold: the L2 cache is overwritten before each call'], ['hot', 'hot: back to back'],
  ['graph', 'graph: inside a CUDA graph'], ['host', 'host: arrays on the host, copies included']]);

const isHeatMap = values => values.get('picture') === 'heat-map';
const isAgainstKept = values => !isHeatMap(values) && values.get('x') === 'kept';
const isRatio = values => isHeatMap(values) || values.get('y') === 'ratio';
const constant = (...options) => () => options;
const optionsOf = (rows, value, text) =>
  [...new Map(rows.map(row => [value(row), text(row)])).entries()];
const usualOf = values => data.usual[values.get('operation')];
const experimentOf = row => row.file.experiment;

// name; options(rows, values): pairs of a value and its label; usual(options, values, rows): the default
// value, without it the first option; of(row, values): the value that a row belongs to, without it no row
// is filtered. Controls with several values are lists of checkboxes; an empty value means that none is
// checked. Rarely used controls can be folded.
const CONTROLS = [
  {name: 'picture', label: 'Picture', options: constant(
    ['lines', 'lines'], ['heat-map', 'heat map of speed-ups'])},
  {name: 'operation', label: 'Operation', of: row => row.operation,
    options: rows => Object.entries(data.titles).filter(
      ([name]) => rows.some(row => row.operation === name))},
  {name: 'mode', label: 'Mode', of: row => row.mode,
    options: rows => [...MODES.keys()].filter(name => rows.some(row => row.mode === name))
      .map(name => [name, name])},
  {name: 'type', label: 'Type, operator', isMore: true, of: row => row.variant ?? 'int32',
    options: rows => optionsOf(rows, row => row.variant ?? 'int32', row => row.variant ?? 'int32'),
    usual: options => options.some(([value]) => value === 'int32') ? 'int32' : options[0][0]},
  {name: 'experiment', label: 'Experiment', isMore: true, of: experimentOf,
    options: rows => optionsOf(rows, experimentOf, experimentOf),
    usual: (options, values) => (options.find(([value]) => value === values.get('operation'))
      ?? options[0])[0]},
  {name: 'keys', label: 'Keys', isShown: values => !isHeatMap(values),
    of: (row, values) => isHeatMap(values) ? '' : row.distribution,
    options: (rows, values) => isHeatMap(values) ? [['', 'all']]
      : optionsOf(rows, row => row.distribution, keysText),
    usual: (options, values) => (options.find(
      ([value]) => value === usualOf(values).distribution) ?? options[0])[0]},
  {name: 'x', label: 'X axis', isShown: values => !isHeatMap(values),
    options: (rows, values) => sizesWithShares(rows).length && !isHeatMap(values)
      ? [['n', 'n'], ['kept', 'the share that is kept']] : [['n', 'n']]},
  {name: 'kept', label: 'Kept',
    of: (row, values) => isHeatMap(values) || isAgainstKept(values) ? '' : String(row.kept ?? ''),
    options: (rows, values) => isHeatMap(values) || isAgainstKept(values) ? [['', 'all']]
      : optionsOf(rows, row => String(row.kept ?? ''),
                  row => row.kept === null ? 'all' : keptText(row.kept)),
    usual: (options, values) => (options.find(
      ([value]) => value === String(usualOf(values).kept)) ?? options[0])[0]},
  {name: 'n', label: 'n', of: (row, values) => isAgainstKept(values) ? String(row.n) : '',
    options: (rows, values) => isAgainstKept(values) ? sizesWithShares(rows) : [['', 'all']],
    usual: options => options.at(-1)[0]},
  {name: 'sizes', label: 'Sizes', isMore: true, isShown: values => !isAgainstKept(values),
    of: (row, values) => values.get('sizes') === 'all' || isPowerOfTwo(row.n)
      ? values.get('sizes') : null,
    options: rows => rows.some(row => isPowerOfTwo(row.n))
      ? [['powers', 'powers of two'], ['all', 'all']] : [['all', 'all']]},
  {name: 'folders', label: 'Measured on', several: true, of: row => row.file.folder,
    options: rows => optionsOf(rows, row => row.file.folder, row => fileText(row.file)),
    usual: options => [options[0][0]]},
  {name: 'y', label: 'Y axis', isShown: values => !isHeatMap(values),
    options: (rows, values) => isHeatMap(values) ? [['ratio', 'ratio']] : [
      ['time', 'time'], ['throughput', 'throughput'], ['roof', '% of roof'],
      ['ratio', 'speed-up'],
      ...(rows.some(row => row.energy_mj !== null) ? [['energy', 'energy per call']] : [])]},
  {name: 'to', label: 'Speed-up over', isShown: isRatio,
    options: rows => algorithmsOf(rows),
    usual: options => (options.find(([value]) => value === data.peer) ?? options[0])[0]},
  {name: 'row', label: 'Algorithm', isShown: isHeatMap, options: rows => algorithmsOf(rows),
    usual: (options, values, rows) => fastestButOne(rows, values.get('to')) ?? options[0][0]},
  {name: 'xscale', label: 'X scale', isMore: true,
    isShown: values => !isHeatMap(values) && !isAgainstKept(values),
    options: constant(['log', 'logarithmic'], ['linear', 'linear'])},
  {name: 'yscale', label: 'Y scale', isMore: true, isShown: values => !isHeatMap(values),
    options: constant(['log', 'logarithmic'], ['linear', 'linear']),
    usual: (options, values) => MEASURES.get(values.get('y')).scale},
  {name: 'quartiles', label: 'Quartiles', isMore: true, isShown: values => !isHeatMap(values),
    options: constant(['band', 'as a band'], ['none', 'not shown'])},
  {name: 'rows', label: 'Algorithms', several: true, mayBeNone: true, isShown: values => !isHeatMap(values),
    options: rows => algorithmsOf(rows), usual: options => options.map(([value]) => value)},
  {name: 'colours', label: 'Theme', isMore: true, options: constant(
    ['system', 'System theme'], ['light', 'Light theme'], ['dark', 'Dark theme'])},
];

// In the order of the registry, which files also use.
function algorithmsOf(rows) {
  const there = new Set(rows.map(row => row.algorithm));
  return data.algorithms.filter(name => there.has(name)).map(name => [name, name]);
}

// The sizes at which several shares were measured.
function sizesWithShares(rows) {
  const shares = new Map();
  for (const row of rows) shares.set(row.n, (shares.get(row.n) ?? new Set()).add(row.kept));
  return distinct(rows.map(row => row.n)).filter(n => shares.get(n).size > 1)
    .sort((a, b) => a - b).map(n => [String(n), sizeText(n)]);
}

// At the largest size, which matters most.
function fastestButOne(rows, but) {
  const others = rows.filter(row => row.algorithm !== but);
  const isAhead = (a, b) => a.n > b.n || (a.n === b.n && a.median_us < b.median_us);
  return others.reduce((best, row) => best && !isAhead(row, best) ? best : row, null)?.algorithm;
}

// The values of all controls, and the rows that remain. chosen: URLSearchParams.
function settle(chosen) {
  const values = new Map();
  const options = new Map();
  let rows = allRows;
  for (const control of CONTROLS) {
    const possible = control.options(rows, values);
    options.set(control.name, possible);
    values.set(control.name, valueOf(control, possible, chosen, values, rows));
    if (control.of) rows = rows.filter(row => isWanted(control, row, values));
  }
  const wanted = isHeatMap(values) ? [values.get('row')] : values.get('rows');
  return {
    values, options, compared: rows, x: values.get('x'), to: values.get('to'),
    measure: MEASURES.get(values.get('y')),
    rows: rows.filter(row => wanted.includes(row.algorithm)),
  };
}

function valueOf(control, options, chosen, values, rows) {
  const isPossible = value => options.some(([option]) => option === value);
  const usual = () => control.usual ? control.usual(options, values, rows) : options[0][0];
  if (control.several) {
    const asked = chosen.getAll(control.name);
    const possible = asked.filter(isPossible);
    const isNone = control.mayBeNone && asked.includes('');
    return possible.length || isNone ? possible : usual();
  }
  const asked = chosen.get(control.name);
  return isPossible(asked) ? asked : usual();
}

function isWanted(control, row, values) {
  const value = values.get(control.name);
  return control.several ? value.includes(control.of(row, values))
    : value === control.of(row, values);
}
