'use strict';
// The table behind a picture.

const COLUMNS = ['operation', 'algorithm', 'mode', 'n', 'distribution', 'kept', 'variant',
  'block_size', 'items_per_thread', 'median_us', 'q1_us', 'q3_us', 'samples'];
const FEW_SAMPLES = 5;
const MACHINE = [['gpu', 'GPU'], ['cub', 'CUB'], ['cuda', 'CUDA'], ['driver', 'driver'],
  ['host_cpu', 'host'], ['date', 'date'], ['experiment', 'experiment'], ['pace', 'pace'],
  ['wrong', 'wrong rows'], ['commit', 'commit']];

// Why the times of a row may not be trusted, as measure_time marks it.
function notesOn(row) {
  return [row.throttled && 'throttled', row.unsteady_clock && 'unsteady clock',
    row.q3_us - row.q1_us > row.median_us / 2 && 'unstable',
    row.samples < FEW_SAMPLES && 'few samples'].filter(Boolean).join(', ');
}

// Its lines, beginning with the column names.
function tableOf(points, settled) {
  const measure = settled.measure.column(settled.to);
  const lines = points.map(({row, y}) => [
    row.file.gpu, row.file.commit, row.file.cub, ...COLUMNS.map(name => row[name]), y,
    notesOn(row)]);
  return [['gpu', 'commit', 'cub', ...COLUMNS, measure, 'note'], ...lines];
}

// A spreadsheet would interpret some texts as formulas: a leading apostrophe prevents that.
function csvField(value) {
  if (typeof value === 'number') return String(value);
  const text = value === null ? '' : value.replace(/^(?=[=+\-@\t\r])/, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csvOf = table => table.map(line => line.map(csvField).join(',') + '\r\n').join('');

const isMeasured = value => typeof value === 'number' && !Number.isInteger(value);

const cellText = value => isMeasured(value) ? String(+value.toPrecision(6)) : String(value ?? '');

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function tableElement([header, ...lines], caption) {
  const cells = (name, line) => element('tr', {}, line.map(value => element(name, {
    textContent: cellText(value), className: typeof value === 'number' ? 'number' : ''})));
  return element('table', {}, [
    element('caption', {textContent: caption}),
    element('thead', {}, [cells('th', header)]),
    element('tbody', {}, lines.map(line => cells('td', line)))]);
}

// The machine and software of each file of a picture.
const machinesOf = files =>
  [MACHINE.map(([, words]) => words), ...files.map(file => MACHINE.map(([name]) => file[name]))];
