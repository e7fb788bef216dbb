'use strict';
// The page: its controls show the choice, and its picture and tables show the chosen rows.

const at = id => document.getElementById(id);
const narrow = matchMedia(`(max-width: ${NARROW}px)`);
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

let chosen = new URLSearchParams(location.hash.slice(1));
let settled;
let points;  // of the picture
let view;  // Vega's
let drawing = Promise.resolve();

// Controls.

const selects = new Map();  // a select, or the fieldset of a list of boxes, by the control's name

function choose(name, values) {
  chosen.delete(name);
  for (const value of values) chosen.append(name, value);
  if (name === 'y') chosen.delete('yscale');  // each measure has its own default
  history.replaceState(null, '', '#' + chosen);
  update();
}

function addControl(control) {
  if (control.several) {
    const list = element('fieldset');
    selects.set(control.name, list);
    at('lists').append(list);
    return;
  }
  const select = element('select', {name: control.name});
  select.addEventListener('change', () => choose(control.name, [select.value]));
  selects.set(control.name, select);
  at(control.isMore ? 'more' : 'controls').append(element('label', {}, [control.label, select]));
}

function showControl(control) {
  const options = settled.options.get(control.name);
  const isShown = (options.length > 1 || control.mayBeNone)
    && (!control.isShown || control.isShown(settled.values));
  const field = selects.get(control.name);
  (control.several ? field : field.parentElement).hidden = !isShown;
  const isNew = JSON.stringify(options) !== field.dataset.options;
  field.dataset.options = JSON.stringify(options);
  if (control.several) {
    if (isNew) fillList(control, field, options);
    showList(control, field);
  } else {
    if (isNew) field.replaceChildren(...options.map(([value, textContent]) =>
      element('option', {value, textContent})));
    field.value = settled.values.get(control.name);
  }
}

function fillList(control, list, options) {
  const boxes = options.map(([value, text]) => {
    const box = element('input', {type: 'checkbox', name: control.name, value});
    box.addEventListener('change', () => chooseBoxes(control, list));
    return element('label', {}, [box, element('span', {className: 'sign', ariaHidden: 'true'}), text]);
  });
  const shortCuts = [['all', options.map(([value]) => value)], ['none', ['']]].map(
    ([textContent, values]) => {
      const button = element('button', {type: 'button', textContent});
      button.addEventListener('click', () => choose(control.name, values));
      return button;
    });
  list.replaceChildren(
    element('legend', {textContent: control.label}),
    element('div', {className: 'boxes'},
            control.mayBeNone ? [...boxes, element('span', {}, shortCuts)] : boxes));
}

function chooseBoxes(control, list) {
  const values = [...list.querySelectorAll('input:checked')].map(box => box.value);
  choose(control.name, values.length ? values : ['']);
}

function showList(control, list) {
  const values = settled.values.get(control.name);
  for (const box of list.querySelectorAll('input')) {
    box.checked = values.includes(box.value);
    const sign = box.nextElementSibling;
    [sign.textContent, sign.style.color] = control.name === 'rows'
      ? rowSign(box.value) : [folderSign(values, box.value), ''];
  }
}

function rowSign(algorithm) {
  const {colour, shape} = lookOf(algorithm, isDark());
  return [shape[1], colour];
}

function folderSign(folders, folder) {
  const i = folders.indexOf(folder);
  if (folders.length < 2 || i < 0) return '';
  return isHeatMap(settled.values) ? numberOf(i) : dashOf(i)[1];
}

// Light and dark.

const isDark = () => settled.values.get('colours') === 'dark'
  || (settled.values.get('colours') === 'system' && darkSystem.matches);

// The picture.

function showTitle() {
  const {values, measure, to} = settled;
  const against = isHeatMap(values) ? 'size and distribution of keys'
    : isAgainstKept(values) ? 'the share that is kept' : 'n';
  const row = isHeatMap(values) ? `${values.get('row')}, ` : '';
  at('title').textContent = `${data.titles[values.get('operation')]}: ${row}${measure.text(to)}, `
    + `against ${against}`;
  const kept = values.get('kept') && `${keptText(Number(values.get('kept')))} kept`;
  const n = values.get('n') && `n = ${sizeText(Number(values.get('n')))}`;
  const files = distinct(settled.compared.map(row => fileText(row.file)));
  const [, keys] = settled.options.get('keys').find(([value]) => value === values.get('keys'));
  at('subtitle').textContent = [MODES.get(values.get('mode')), values.get('type'), `keys: ${keys}`,
                                kept, n, ...files].filter(Boolean).join(' · ');
}

async function draw() {
  const picture = at('picture');
  view?.finalize();
  view = null;
  if (points.length) {
    const specification = pictureOf(settled)(points, settled, isDark(), picture.clientWidth);
    ({view} = await vegaEmbed(picture, specification, {
      actions: false, renderer: 'svg', ast: true, tooltip: {theme: isDark() ? 'dark' : 'light'}}));
    view.addSignalListener('pointed', (_, {id}) => { if (id) lookAt(id[0]); });
  } else {
    picture.replaceChildren(element('p', {textContent: 'Nothing was measured for this choice.'}));
  }
  picture.ariaBusy = 'false';
}

// Marks a point, and announces its value.
function lookAt(id) {
  const {row, at: where, median, quartiles, mean} = points[id].words;
  at('value').textContent = `${row}, ${where}: ${mean ?? `${median} (quartiles ${quartiles})`}`;
  view.signal('cursor', id).runAsync();
}

// The point to which a key press moves.
function pointAfter(id, key) {
  if (id < 0) return 0;
  const here = points[id];
  const series = distinct(points.map(point => point.series));
  const line = points.filter(point => point.series === here.series);
  const toSeries = step => {
    const name = series[series.indexOf(here.series) + step] ?? here.series;
    return points.filter(point => point.series === name).reduce((nearest, point) =>
      Math.abs(point.x - here.x) < Math.abs(nearest.x - here.x) ? point : nearest);
  };
  const found = {
    ArrowLeft: () => line[line.indexOf(here) - 1], ArrowRight: () => line[line.indexOf(here) + 1],
    ArrowUp: () => toSeries(-1), ArrowDown: () => toSeries(1),
    Home: () => line[0], End: () => line.at(-1),
  }[key]();
  return (found ?? here).id;
}

at('picture').addEventListener('keydown', event => {
  const isStep = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key);
  if (!isStep || !view) return;
  event.preventDefault();
  lookAt(pointAfter(view.signal('cursor'), event.key));
});

// Tables.

function showTable() {
  if (at('details').open) {
    at('table').replaceChildren(tableElement(tableOf(points, settled), at('title').textContent));
  }
}

async function copyCsv() {
  const csv = csvOf(tableOf(points, settled));
  at('csv').value = csv;
  try {
    await navigator.clipboard.writeText(csv);
    at('copied').textContent = `${points.length} lines copied`;
  } catch {  // some browsers do not allow this for files
    at('csv').hidden = false;
    at('csv').select();
    at('copied').textContent = 'selected below: copy with Ctrl-C';
  }
}

at('details').addEventListener('toggle', showTable);
at('copy').addEventListener('click', copyCsv);

// Initialisation.

function update() {
  at('picture').ariaBusy = 'true';
  settled = settle(chosen);
  points = drawnPoints(settled);
  const colours = settled.values.get('colours');
  document.documentElement.style.colorScheme = colours === 'system' ? '' : colours;
  CONTROLS.forEach(showControl);
  showTitle();
  at('value').textContent = '';
  at('copied').textContent = '';
  at('csv').hidden = true;
  showTable();
  const files = distinct(settled.compared.map(row => row.file));
  at('machines').replaceChildren(tableElement(machinesOf(files), 'Measured on'));
  drawing = drawing.then(draw);
}

CONTROLS.forEach(addControl);
at('unfolded').open = !narrow.matches;
addEventListener('hashchange', () => {
  chosen = new URLSearchParams(location.hash.slice(1));
  update();
});
darkSystem.addEventListener('change', update);
narrow.addEventListener('change', update);
update();
