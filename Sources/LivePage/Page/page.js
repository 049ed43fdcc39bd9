"use strict";
// The whole page. Values of records get into it as text alone (`textContent`, `value`), never as markup.

// Elements: el("button", { class: "main", onclick }, "Save"). A child is a text or an element.
function el(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "key") element.dataset.key = value;
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
const byId = (id) => document.getElementById(id);
const main = byId("main");
const button = (text, onclick, more) => el("button", { type: "button", onclick, ...more }, text);
const plural = (count, noun) => `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;

// The token stands behind the # of the address. It is taken out of it at once, so that no one reads it over a shoulder,
// and kept for this tab, so that the page can be loaded again.
const token = (() => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("tandem-token", given);
    history.replaceState(null, "", location.pathname);
  }
  return given ?? sessionStorage.getItem("tandem-token") ?? "";
})();

async function api(name, question) {
  let response;
  try {
    response = await fetch(`/api/${name}`, {
      method: "POST", body: JSON.stringify(question ?? {}),
      headers: { "Authorization": `Bearer ${token}`, "Content-Type": "application/json" },
    });
  } catch {
    throw new Error("the server does not answer; see whether 'tandem serve' still runs");
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`);
  return answer;
}

// Where the person is. Kept for this tab.
const place = { view: "records", store: null, entity: {}, where: "", sort: "" };
try {
  Object.assign(place, JSON.parse(sessionStorage.getItem("tandem-place") ?? "{}"));
} catch { /* A place of another version: begin anew. */ }
const keepPlace = () => sessionStorage.setItem("tandem-place", JSON.stringify(place));

let overview = { stores: [], devices: [], readOnly: true };
const currentStore = () => overview.stores.find((store) => store.path === place.store);

function complain(error) {
  byId("notice").hidden = !error;
  byId("notice").textContent = error ? error.message : "";
}
const attempt = (work) => async (...given) => {
  try {
    await work(...given);
    complain(null);
  } catch (error) { complain(error); }
};

function dateText(text) {
  const date = new Date(text);
  return isNaN(date) ? text : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
function bytesText(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let place = 0;
  for (; count >= 1024 && place < units.length - 1; place++) count /= 1024;
  return `${place ? count.toFixed(1) : count} ${units[place]}`;
}
// Signs that no one sees, or that turn around what follows them, are written out, as by 'tandem query'.
const hidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const escapes = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const visible = (text) =>
  text.replace(hidden, (sign) => escapes[sign] ?? `\\u{${sign.charCodeAt(0).toString(16)}}`);

// A cell is nothing, a text, or a record that is led to.
function cellText(cell, type) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "object") return visible(cell.name ?? cell.id);
  return type === "date" ? dateText(cell) : visible(cell);
}
const isolated = (tag, props, text) => el(tag, { dir: "auto", ...props }, text);

// The focused element and what is scrolled stay where they are when a view is drawn anew.
function redraw(draw) {
  const key = document.activeElement?.dataset?.key;
  const scrolled = main.scrollTop;
  draw();
  main.scrollTop = scrolled;
  if (key) main.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

function ask(title, content, actions) {
  const dialog = byId("dialog");
  dialog.replaceChildren(
    el("h2", { id: "dialog-title" }, title), ...content,
    el("div", { class: "bar" }, ...actions, button("Close", () => dialog.close(), { autofocus: !actions.length })));
  dialog.showModal();
}

// ---- Records

const records = {
  pages: [null], // Where each page up to this one begins.
  answer: null, count: null, selected: null, detail: null, editing: false, seen: new Map(), parts: {},

  get entity() {
    const entities = currentStore()?.entities ?? [];
    const named = entities.find((entity) => entity.name === place.entity[place.store]);
    return named ?? entities.find((entity) => entity.count > 0) ?? entities[0];
  },
  question() { return { store: place.store, entity: this.entity.name, where: place.where, sort: place.sort }; },

  show() {
    if (!this.entity) {
      main.replaceChildren(el("div", { class: "view" }, el("p", { class: "dim" }, "The store has no entities yet.")));
      return;
    }
    const filter = el("input", {
      type: "search", key: "filter", value: place.where, autocomplete: "off", spellcheck: "false",
      placeholder: "Condition, such as name contains 'da' and price > 3", "aria-label": "Condition",
      onchange: () => this.filter(filter.value),
    });
    const pick = el("select", { class: "entity-pick", "aria-label": "Entity", onchange: () => this.choose(pick.value) });
    const parts = this.parts = {
      frame: el("div", { class: "records" }), entities: el("nav", { class: "entities", "aria-label": "Entities" }),
      complaint: el("pre", { class: "complaint mono", role: "alert", hidden: true }), filter, pick,
      scroll: el("div", { class: "scroll" }), foot: el("div", { class: "bar" }),
      detail: el("section", { class: "detail", "aria-label": "Record", hidden: true }),
    };
    const add = overview.readOnly ? null : button("New", () => this.beginInsert(), { key: "new", title: "New record (a)" });
    parts.frame.append(
      parts.entities,
      el("div", { class: "list" },
        el("div", { class: "bar" }, pick, el("div", { class: "grow" }, filter), add), parts.complaint, parts.scroll,
        parts.foot),
      parts.detail);
    main.replaceChildren(parts.frame);
    this.drawEntities();
    return this.load();
  },

  drawEntities() {
    const entities = currentStore()?.entities ?? [];
    this.parts.entities?.replaceChildren(...entities.map((entity) => el("button", {
      type: "button", key: `entity ${entity.name}`, "aria-current": entity === this.entity ? "true" : null,
      onclick: () => this.choose(entity.name),
    }, isolated("span", {}, entity.name), el("span", { class: "dim" }, entity.count.toLocaleString()))));
    this.parts.pick?.replaceChildren(...entities.map((entity) =>
      el("option", { value: entity.name, selected: entity === this.entity }, `${entity.name} (${entity.count.toLocaleString()})`)));
  },

  choose(name) {
    place.entity[place.store] = name;
    [place.where, place.sort] = ["", ""];
    this.begin();
    this.closeDetail();
    return this.show();
  },
  begin() {
    keepPlace();
    [this.pages, this.answer, this.count] = [[null], null, null];
    this.seen.clear();
  },
  filter(text) {
    place.where = text.trim();
    this.begin();
    return this.load();
  },
  sortBy(name) {
    place.sort = place.sort === name ? `-${name}` : place.sort === `-${name}` ? "" : name;
    this.begin();
    return this.load();
  },

  // The count comes later: of a condition it takes a look at every record.
  async load() {
    const question = this.question();
    const isCurrent = () => JSON.stringify(this.question()) === JSON.stringify(question) && place.view === "records";
    const { complaint } = this.parts;
    try {
      const answer = await api("records", { ...question, after: this.pages.at(-1), limit: 100 });
      if (!isCurrent()) return;
      this.answer = answer;
      complaint.hidden = true;
      redraw(() => this.draw());
      const { count } = await api("count", question);
      if (!isCurrent()) return;
      this.count = count;
      redraw(() => this.drawFoot());
    } catch (error) {
      if (!isCurrent()) return;
      complaint.hidden = false;
      complaint.textContent = error.message;
    }
  },
  async refresh() {
    redraw(() => this.drawEntities());
    await this.load();
    if (this.detail) await this.refreshDetail();
  },

  draw() {
    const { columns, rows } = this.answer;
    const seen = new Map();
    const head = el("tr", {}, ...columns.map((column) => {
      const direction = place.sort === column.name ? "ascending" : place.sort === `-${column.name}` ? "descending" : "none";
      const mark = { ascending: " ▲", descending: " ▼", none: "" }[direction];
      const title = `${column.type}${column.optional ? ", optional" : ""}${column.destination ? ` to ${column.destination}` : ""}`;
      return el("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": direction, title },
        column.sortable ? button(column.name + mark, () => this.sortBy(column.name), { key: `sort ${column.name}` }) : column.name);
    }));
    const body = rows.map((row, index) => {
      const text = JSON.stringify(row.cells);
      seen.set(row.id, text);
      const isFresh = this.seen.size > 0 && this.seen.get(row.id) !== text;
      return el("tr", {
        tabindex: row.id === this.selected || (index === 0 && !rows.some((row) => row.id === this.selected)) ? "0" : "-1",
        key: row.id, class: isFresh ? "fresh" : null, "aria-selected": row.id === this.selected ? "true" : "false",
        onclick: () => this.open(row.id),
      }, ...row.cells.map((cell, place) => this.cell(cell, columns[place])));
    });
    this.seen = seen;
    const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...body));
    const scroll = this.parts.scroll;
    const [top, left] = [scroll.scrollTop, scroll.scrollLeft];
    scroll.replaceChildren(rows.length ? table : el("div", {}, table, el("p", { class: "view dim" }, "No records here.")));
    [scroll.scrollTop, scroll.scrollLeft] = [top, left];
    this.drawFoot();
  },
  cell(cell, column) {
    const text = cellText(cell, column.type);
    const title = text.length > 30 ? text : typeof cell === "object" && cell ? cell.id : null;
    return isolated("td", { class: cell === null ? "none" : column.number ? "number" : null, title }, text);
  },
  drawFoot() {
    const first = (this.pages.length - 1) * 100;
    const shown = this.answer?.rows.length ?? 0;
    const range = shown ? `${(first + 1).toLocaleString()}–${(first + shown).toLocaleString()}` : "none";
    this.parts.foot.replaceChildren(
      button("Previous", () => this.previous(), { key: "previous", title: "Previous page ([)", disabled: this.pages.length === 1 }),
      button("Next", () => this.next(), { key: "next", title: "Next page (])", disabled: !this.answer?.next }),
      el("span", { class: "dim" }, this.count === null ? range : `${range} of ${this.count.toLocaleString()}`));
  },
  next() {
    if (!this.answer?.next) return;
    this.pages.push(this.answer.next);
    return this.turn();
  },
  previous() {
    if (this.pages.length === 1) return;
    this.pages.pop();
    return this.turn();
  },
  async turn() {
    this.seen.clear();
    await this.load();
    this.parts.scroll.scrollTop = 0;
  },
  // Moves the focus among rows.
  step(distance) {
    const rows = [...this.parts.scroll.querySelectorAll("tbody tr")];
    const at = rows.indexOf(document.activeElement);
    const row = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + distance))];
    for (const other of rows) other.tabIndex = other === row ? 0 : -1;
    row?.focus();
  },

  // ---- One record

  async open(id) {
    await attempt(async () => {
      this.detail = await api("record", { store: place.store, id });
      [this.selected, this.editing] = [id, false];
      this.drawDetail();
      this.parts.detail.scrollTop = main.scrollTop = 0;
      for (const row of this.parts.scroll.querySelectorAll("tbody tr")) {
        row.setAttribute("aria-selected", row.dataset.key === id ? "true" : "false");
      }
    })();
  },
  closeDetail() {
    const id = this.selected;
    [this.detail, this.selected, this.editing] = [null, null, false];
    if (!this.parts.detail) return;
    this.parts.detail.hidden = true;
    this.parts.detail.replaceChildren();
    this.parts.frame.classList.remove("open");
    for (const row of this.parts.scroll.querySelectorAll("[aria-selected=true]")) row.setAttribute("aria-selected", "false");
    if (id) this.parts.scroll.querySelector(`[data-key="${id}"]`)?.focus();
  },
  async refreshDetail() {
    const shown = this.detail;
    if (!shown?.id) return;
    let now;
    try {
      now = await api("record", { store: place.store, id: shown.id });
    } catch (error) {
      if (this.detail !== shown) return;
      if (this.editing) this.parts.changed.textContent = error.message;
      else { this.closeDetail(); complain(error); }
      return;
    }
    if (this.detail !== shown) return;
    if (this.editing) { this.noteChanges(now); return; }
    this.detail = now;
    redraw(() => this.drawDetail());
  },
  noteChanges(now) {
    const changed = now.fields.filter((field, place) => field.value !== this.detail.fields[place]?.value);
    this.parts.changed.textContent = changed.length
      ? "Changed meanwhile: " + changed.map((field) => `${field.name} is now ${field.value ?? "no value"}`).join("; ") : "";
  },

  drawDetail() {
    const { detail, frame } = this.parts;
    const record = this.detail;
    frame.classList.add("open");
    detail.hidden = false;
    const actions = overview.readOnly ? [] : [
      button("Edit", () => this.beginEdit(), { class: "main", key: "edit", title: "Edit (e)" }),
      button("Delete…", () => this.beginDelete(), { class: "danger", key: "delete" }),
    ];
    detail.replaceChildren(
      el("div", { class: "bar" }, isolated("h2", { class: "grow" }, record.name ?? record.entity), button("Close", () => this.closeDetail(), { key: "close", title: "Close (Esc)" })),
      el("div", { class: "dim" }, `${record.entity} `, el("code", {}, record.id)),
      ...record.fields.map((field) => el("div", { class: "field" }, this.label(field), this.value(field))),
      ...record.links.map((link) => this.links(link)),
      el("div", { class: "actions" }, ...actions));
  },
  label(field) {
    const kind = field.destination ? `to ${field.destination}` : field.type;
    return el("span", { class: "label" }, isolated("span", {}, field.name), el("span", { class: "dim" }, kind + (field.optional ? ", optional" : "")));
  },
  value(field) {
    const shown = field.shown;
    if (shown === null) return el("div", { class: "value none" });
    if (typeof shown === "object") return this.leadingTo(shown);
    const text = field.type === "date" ? dateText(shown) : field.type === "data" ? shown : field.value ?? shown;
    return isolated("div", { class: "value", title: field.type === "date" ? field.value : null }, text);
  },
  leadingTo(target) {
    return button(target.name ?? target.id, () => this.open(target.id), { class: "link", dir: "auto", title: target.id, key: `to ${target.id}` });
  },
  links(link) {
    const more = link.count > link.records.length ? el("li", { class: "dim" }, `and ${plural(link.count - link.records.length, "record")} more`) : null;
    return el("div", { class: "field" },
      el("span", { class: "label" }, link.name, el("span", { class: "dim" }, link.toMany ? `${plural(link.count, "record")} of ${link.destination}` : `to ${link.destination}`)),
      el("ul", { class: "plain" }, ...link.records.map((target) => el("li", {}, this.leadingTo(target))), more));
  },

  // ---- Editing

  beginEdit() {
    if (overview.readOnly || !this.detail?.id) return;
    this.drawForm(`Edit ${this.detail.name ?? this.detail.entity}`, this.detail.fields, this.detail.links);
  },
  beginInsert() {
    if (overview.readOnly) return;
    const fields = this.entity.fields.filter((field) => field.declared).map((field) => ({ ...field, value: field.default ?? null }));
    const links = this.entity.links.map((link) => ({ ...link, count: 0, records: [] }));
    [this.detail, this.selected] = [{ entity: this.entity.name, fields, links }, null];
    this.parts.frame.classList.add("open");
    this.parts.detail.hidden = false;
    this.drawForm(`New ${this.entity.name}`, fields, links);
  },
  drawForm(title, fields, links) {
    this.editing = true;
    const inputs = fields.filter((field) => field.declared).map((field) => this.input(field));
    const linkInputs = links.filter((link) => link.count <= link.records.length).map((link) => this.linkInput(link));
    const changed = this.parts.changed = el("div", { class: "bad", role: "status" });
    const trouble = this.parts.trouble = el("div", { class: "bad value", role: "alert" });
    const form = el("form", { onsubmit: (event) => { event.preventDefault(); this.save([...inputs, ...linkInputs]); } },
      isolated("h2", {}, title), changed, ...inputs.map((input) => input.row), ...linkInputs.map((input) => input.row), trouble,
      el("div", { class: "actions" }, el("button", { type: "submit", class: "main" }, "Save"), button("Cancel", () => this.cancelEdit(), { title: "Cancel (Esc)" })));
    for (const child of form.children) child.style.marginBottom = "10px";
    this.parts.detail.replaceChildren(form);
    form.querySelector("input, select, textarea")?.focus();
  },
  // `given()`: the text, or null for no value. A field that was left alone is not sent, so what another process wrote
  // into it meanwhile stays.
  input(field) {
    if (field.long || field.missing) {
      const why = field.missing ? field.shown : "too long to be edited here; use 'tandem edit'";
      return { name: field.name, isTouched: () => false, row: el("div", { class: "field" }, this.label(field), el("div", { class: "dim" }, why)) };
    }
    let isTouched = false;
    const touch = () => { isTouched = true; };
    const initial = field.value ?? "";
    let control;
    if (field.type === "bool") {
      const options = [...(field.optional || field.value === null ? [["", "no value"]] : []), ["true", "true"], ["false", "false"]];
      control = el("select", { onchange: touch }, ...options.map(([value, text]) => el("option", { value, selected: value === initial }, text)));
    } else if (field.type === "string" || field.type === "composite") {
      control = el("textarea", { rows: String(Math.min(8, initial.split("\n").length)), dir: "auto", oninput: touch, value: initial });
    } else {
      control = el("input", { type: "text", oninput: touch, value: initial, spellcheck: "false", autocomplete: "off",
        placeholder: field.destination ? "id, or the value of a unique attribute" : field.type === "date" ? "2026-11-21 08:30" : null });
    }
    const target = field.shown && typeof field.shown === "object" && field.shown.name ? el("div", { class: "dim" }, isolated("span", {}, field.shown.name)) : null;
    const none = field.type === "string" && field.optional
      ? el("input", { type: "checkbox", onchange: () => { touch(); control.disabled = none.checked; } }) : null;
    if (none && field.value === null) control.disabled = none.checked = true;
    const label = el("label", { class: "field" }, this.label(field), control);
    const given = () => none?.checked || (control.value === "" && field.type !== "string") ? null : control.value;
    return { name: field.name, isTouched: () => isTouched, given,
      row: el("div", {}, label, target, none ? el("label", { class: "dim" }, none, "no value") : null) };
  },
  linkInput(link) {
    let isTouched = false;
    const control = el("input", { type: "text", class: "mono", spellcheck: "false", autocomplete: "off", oninput: () => { isTouched = true; },
      value: link.records.map((record) => record.id).join(","), placeholder: link.toMany ? "ids, separated by commas" : "id" });
    return { name: link.name, isTouched: () => isTouched, given: () => control.value.replaceAll(" ", "") || null,
      row: el("label", { class: "field" }, el("span", { class: "label" }, link.name, el("span", { class: "dim" }, `${link.toMany ? "many " : "to "}${link.destination}`)), control) };
  },
  async save(inputs) {
    const fields = {};
    for (const input of inputs) if (input.isTouched()) fields[input.name] = input.given();
    const question = { store: place.store, fields };
    try {
      const answer = this.detail.id
        ? await api("edit", { ...question, id: this.detail.id }) : await api("insert", { ...question, entity: this.detail.entity });
      this.editing = false;
      await this.open(answer.id);
      await this.load();
    } catch (error) { this.parts.trouble.textContent = error.message; }
  },
  cancelEdit() {
    this.editing = false;
    if (this.detail?.id) this.open(this.detail.id);
    else this.closeDetail();
  },
  beginDelete() {
    if (overview.readOnly || !this.detail?.id) return;
    const question = { store: place.store, id: this.detail.id };
    return attempt(async () => {
      const preview = await api("delete", { ...question, dryRun: true });
      const confirm = button("Delete", attempt(async () => {
        byId("dialog").close();
        await api("delete", question);
        this.closeDetail();
        await this.load();
      }), { class: "danger" });
      ask(`Delete ${preview.summary}?`,
        [el("ul", { class: "plain mono" }, ...preview.names.map((name) => isolated("li", {}, name)))], [confirm]);
    })();
  },
};

// ---- The other views: each loads, then draws itself anew.

const schema = {
  async show() {
    const { svg, text } = await api("schema", { store: place.store });
    if (place.view !== "schema") return;
    // As a picture it can run nothing and load nothing.
    const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    const picture = el("img", { src: address, alt: "Classes and relationships of the store; the text below says the same",
      onload: () => URL.revokeObjectURL(address) });
    redraw(() => main.replaceChildren(el("div", { class: "view" },
      el("h2", {}, "Schema"), el("div", { id: "diagram", tabindex: "0" }, picture), el("pre", { class: "card wide" }, text.join("\n")))));
  },
};

const timeline = {
  entries: [], next: null, store: null,
  opened: new Map(), // By transaction: whether a person opened or closed its changes.
  async show() {
    if (this.store !== place.store) [this.entries, this.next, this.store, this.opened] = [[], null, place.store, new Map()];
    const answer = await api("history", { store: place.store });
    if (place.view !== "history") return;
    const newest = this.entries[0]?.number ?? -1;
    const news = answer.transactions.filter((entry) => entry.number > newest);
    // Too many came at once to know those between: begin anew.
    if (news.length === answer.transactions.length) [this.entries, this.next] = [[], answer.next];
    this.entries = [...news, ...this.entries];
    redraw(() => this.draw());
  },
  async older() {
    const answer = await api("history", { store: place.store, before: this.next });
    this.entries.push(...answer.transactions);
    this.next = answer.next;
    redraw(() => this.draw());
  },
  draw() {
    main.replaceChildren(el("div", { class: "view" }, el("h2", {}, "History"),
      el("p", { class: "dim" }, "The newest first. Values are there where the app's store keeps changed values, and of edits in this page; else what a field became, as long as it is that."),
      el("ol", { class: "time" }, ...this.entries.map((entry) => this.entry(entry))),
      this.next === null ? el("p", { class: "dim" }, this.entries.length ? "The beginning of what the store keeps." : "Nothing was saved yet.")
        : button("Older", attempt(() => this.older()), { key: "older" })));
  },
  entry(entry) {
    const origin = `${entry.process}[${entry.processIdentifier}]` + (entry.author ? ` by ${entry.author}` : "") + (entry.replica ? `, from replica ${entry.replica}` : "");
    return el("li", {}, el("div", {}, el("strong", {}, String(entry.number)), " ", el("time", { datetime: entry.committedAt, title: entry.committedAt }, dateText(entry.committedAt)), " ",
      isolated("span", { class: "dim" }, origin)), el("div", {}, entry.summary),
      this.changes(entry));
  },
  changes(entry) {
    const details = el("details", { open: this.opened.get(entry.number) ?? entry.changes.length <= 5, ontoggle: () => this.opened.set(entry.number, details.open) },
      el("summary", { key: `changes ${entry.number}` }, plural(entry.changes.length + entry.more, "change")),
      el("ul", { class: "plain" }, ...entry.changes.map((change) => this.change(change, entry.number)), entry.more ? el("li", { class: "dim" }, `and ${entry.more} more`) : null));
    return details;
  },
  change(change, number) {
    const verb = { insert: "inserted", update: "updated", delete: "deleted" }[change.kind];
    const subject = change.isThere
      ? button(change.name ?? change.id, () => go("records", async () => { place.entity[place.store] = change.entity; await records.show(); await records.open(change.id); }), { class: "link", dir: "auto", title: change.id, key: `change ${number} ${change.id}` })
      : el("code", {}, change.id);
    const values = change.values?.length ? el("div", { class: "values" }, ...change.values.map((value) => this.changed(value, change.kind))) : null;
    return el("li", {}, `${verb} ${change.entity} `, subject, values);
  },
  // What is not known is left out.
  changed(value, kind) {
    const side = (name) => name in value ? isolated("span", { class: name }, this.text(value[name])) : null;
    const [before, after] = [side("old"), side("new")];
    if (!before && !after) return el("div", {}, value.field);
    return el("div", {}, `${value.field}: `, before, kind === "update" ? " → " : "", after ?? (kind === "update" ? el("span", { class: "dim" }, "not kept") : null));
  },
  text(cell) { return cell === null ? "no value" : cellText(cell) || "empty text"; },
};

const conflicts = {
  async show() {
    const answer = await api("conflicts", { store: place.store });
    if (place.view !== "conflicts") return;
    redraw(() => main.replaceChildren(el("div", { class: "view" }, el("h2", {}, "Conflicts"),
      el("p", { class: "dim" }, `What lost against a write whose author had not seen it, kept for ${answer.days} days.`),
      ...(answer.conflicts.length ? answer.conflicts.map((conflict) => this.card(conflict)) : [el("p", {}, "Nothing was lost.")]))));
  },
  card(conflict) {
    const restore = overview.readOnly ? null : button("Restore", attempt(async () => {
      await api("restore", { store: place.store, id: conflict.id });
      await this.show();
    }), { key: `restore ${conflict.id}`, class: "main" });
    const side = (title, which) => el("div", { class: "side" }, el("h3", {}, title), isolated("div", { class: "dim" }, `${conflict.sides[which].by}, ${dateText(conflict.sides[which].at)}`),
      ...conflict.sides.fields.map((field) => el("div", {}, el("div", { class: "dim" }, field.field), isolated("div", { class: "value" }, field[which]))));
    return el("article", { class: "card" }, el("h3", {}, conflict.title), isolated("div", { class: "mono" }, conflict.subject), el("div", { class: "dim" }, conflict.explanation),
      el("div", { class: "sides" }, side("Lost", "lost"), side("Won", "won")), el("div", { class: "bar" }, restore, el("span", { class: "dim" }, `Restoring ${conflict.remedy}`)));
  },
};

const devices = {
  sync: null,
  async show() {
    const answer = await api("devices");
    if (place.view !== "devices") return;
    this.sync = answer.sync;
    redraw(() => this.draw(answer.devices));
  },
  draw(all) {
    this.progress = el("div", { class: "progress", role: "status" });
    main.replaceChildren(el("div", { class: "view" }, el("h2", {}, "Devices"), this.controls(all), this.progress,
      ...(all.length ? all.map((device) => this.card(device)) : [el("p", { class: "dim" }, "No device directory was named, only stores; start 'tandem serve' with the device's folder.")])));
    this.drawProgress();
  },
  controls(all) {
    const pairs = all.flatMap((first, place) => all.slice(place + 1).map((second) => [first, second]));
    if (overview.folder) pairs.unshift(...all.map((device) => [device, null]));
    if (overview.readOnly || !pairs.length) {
      return el("p", { class: "dim" }, overview.readOnly ? "Started read-only: with --read-write the page can synchronise." : "Start 'tandem serve' with two devices, or with --folder, to synchronise here.");
    }
    return el("div", { class: "bar" }, ...pairs.map(([first, second]) => button(`Synchronise ${first.name} and ${second ? second.name : overview.folder}`,
      attempt(() => api("sync", { first: first.path, second: second?.path ?? null })), { class: "main", key: `sync ${first.path} ${second?.path}` })));
  },
  drawProgress() {
    if (!this.progress || place.view !== "devices") return;
    for (const control of main.querySelectorAll(".bar button.main")) control.disabled = this.sync?.running ?? false;
    const parts = this.sync ? [el("strong", { class: this.sync.running ? "" : this.sync.complete ? "good" : "bad" }, this.sync.running ? "Synchronising…" : this.sync.complete ? "Synchronised" : "Not all could be done"),
      el("div", {}, this.sync.lines.join("\n")), el("div", { class: "bad" }, this.sync.trouble.join("\n"))] : [];
    this.progress.replaceChildren(...parts);
  },
  card(device) {
    return el("article", { class: "card" }, isolated("h3", {}, device.name), el("div", { class: "dim mono" }, device.path), device.error ? el("div", { class: "bad" }, device.error) : null,
      ...(device.stores ?? []).map((store) => el("div", {}, el("div", {}, el("strong", {}, store.place), " ", el("span", { class: store.settled ? "good" : "bad" }, store.settled ? "settled" : "waits")),
        this.table(store.replicas), el("ul", {}, ...store.notes.map((note) => isolated("li", {}, note))))));
  },
  // A device lags by what it has not applied.
  table(replicas) {
    const heads = ["device", "last saved", "has", "here", "lag", "of ours", ""];
    return el("div", { class: "wide" }, el("table", { class: "fit" }, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...replicas.map((replica) => el("tr", {}, isolated("td", { title: replica.id }, replica.name || replica.id),
        el("td", {}, replica.lastSavedMilliseconds ? dateText(replica.lastSavedMilliseconds) : ""), ...[replica.lastSequence, replica.appliedHere, replica.lastSequence - replica.appliedHere, replica.appliedThere].map((number) =>
          el("td", { class: "number" }, number.toLocaleString())), el("td", {}, replica.remark))))));
  },
};

const integrity = {
  outcome: {}, running: null,
  async show() {
    const report = await api("sizes", { store: place.store });
    if (place.view === "integrity") redraw(() => this.draw(report));
  },
  draw(report) {
    const most = Math.max(1, ...report.tables.map((table) => table.bytes));
    const rows = [...report.tables].sort((a, b) => b.bytes - a.bytes).map((table) => el("tr", {}, isolated("td", {}, table.name), el("td", { class: "number" }, table.entries.toLocaleString()),
      el("td", { class: "number" }, bytesText(table.bytes)), el("td", { class: "meter-place" }, this.meter(table.bytes / most))));
    const facts = [`${bytesText(report.fileBytes)} on the disk`, `${plural(report.lastTransaction, "transaction")}`, `format ${report.formatVersion}, schema ${report.schemaVersion}`, `${plural(report.activeReaders, "open reader")}`];
    main.replaceChildren(el("div", { class: "view" }, el("h2", {}, "Integrity"),
      el("div", { class: "bar" }, button("Check now", () => this.check(), { class: "main", key: "check", disabled: this.running !== null }), this.verdict()),
      el("h2", {}, "Size by tree"), el("p", { class: "dim" }, facts.join(" · ")),
      el("div", { class: "wide" }, el("table", { class: "fit" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "tree"), el("th", { scope: "col", class: "number" }, "entries"), el("th", { scope: "col", class: "number" }, "size"), el("th", { scope: "col" }, ""))),
        el("tbody", {}, ...rows)))));
  },
  meter(part) {
    const meter = el("div", { class: "meter" });
    meter.style.width = `${Math.round(part * 100)}%`;
    return meter;
  },
  verdict() {
    if (this.running === place.store) return el("span", { role: "status" }, "Reads everything…");
    const outcome = this.outcome[place.store];
    if (!outcome) return el("span", { class: "dim" }, "Reads all pages, records, indexes and history, in a process of its own.");
    const findings = [outcome.unusable, ...(outcome.violations ?? []), outcome.damaged].filter(Boolean);
    return el("div", { role: "status" }, el("strong", { class: outcome.sound ? "good" : "bad" }, outcome.sound ? `Sound: ${plural(outcome.records, "record")}` : "Damaged"), el("ul", {}, ...findings.map((text) => isolated("li", {}, text))));
  },
  check() {
    const store = this.running = place.store;
    const redrawn = attempt(() => place.view === "integrity" ? this.show() : null);
    return attempt(async () => {
      redrawn();
      try { this.outcome[store] = await api("check", { store }); } finally { this.running = null; }
      await redrawn();
    })();
  },
};

const suites = {
  types: [], first: null, // `first`: where a new key goes unless another suite is named; null: there is no room.
  async show() {
    const answer = await api("suites", { store: place.store });
    if (place.view !== "keys") return;
    this.types = answer.types;
    this.first = answer.hasRoom ? answer.suites[0]?.name ?? "default" : null;
    const add = overview.readOnly || this.first === null ? null
      : el("div", { class: "bar" }, button("New key", () => this.beginNew(), { key: "new", class: "main", title: "New key (a)" }));
    redraw(() => main.replaceChildren(el("div", { class: "view" }, el("h2", {}, "Keys and values"), add,
      ...(answer.suites.length ? answer.suites.map((suite) => this.card(suite)) : [el("p", { class: "dim" }, "The store has no keys and values.")]))));
  },
  card(suite) {
    const more = suite.count > suite.keys.length ? el("p", { class: "dim" }, `${plural(suite.count - suite.keys.length, "key")} not shown`) : null;
    const heads = ["key", "type", "value", "expires", ...(overview.readOnly ? [] : [""])];
    return el("article", { class: "card" }, isolated("h3", {}, suite.name), el("div", { class: "wide" }, el("table", { class: "fit" },
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...suite.keys.map((key) => this.row(suite.name, key))))), more);
  },
  row(suite, key) {
    const edit = (text, work, more) => button(text, attempt(() => work.call(this, suite, key.key)), { key: `${text} ${suite} ${key.key}`, "aria-label": `${text} ${visible(key.key)}`, ...more });
    const actions = overview.readOnly ? null : el("td", {}, el("div", { class: "bar" }, edit("Edit", this.beginEdit), edit("Remove…", this.beginRemove, { class: "danger" })));
    return el("tr", {}, isolated("td", {}, visible(key.key)), el("td", { class: "dim" }, key.type), isolated("td", {}, visible(key.value)), el("td", {}, key.expires ? dateText(key.expires) : ""), actions);
  },
  beginNew() {
    if (!overview.readOnly && this.first !== null) this.form({ suite: this.first });
  },
  // The value whole, and as it is now.
  async beginEdit(suite, key) {
    const known = await api("key", { store: place.store, suite, key });
    if (!known.type) throw new Error(`the value of '${visible(key)}' is of a kind that only an app can write; it can be removed here`);
    this.form({ suite, ...known });
  },
  async beginRemove(suite, key) {
    const known = await api("key", { store: place.store, suite, key });
    const expected = known.type ? { type: known.type, value: known.value } : null;
    const confirm = button("Remove", attempt(async () => {
      byId("dialog").close();
      await api("remove", { store: place.store, suite, key, expected });
      await this.show();
    }), { class: "danger", autofocus: true });
    ask(`Remove '${visible(key)}' of ${visible(suite)}?`, [isolated("div", { class: "value" }, visible(known.value))], [confirm]);
  },
  // `known` has the suite; of a key that is there also its name, type, value and end.
  form(known) {
    const isNew = known.key === undefined;
    const text = (name, value, more) => el("input", { type: "text", name, value: value ?? "", spellcheck: "false", autocomplete: "off", ...more });
    const type = el("select", { name: "type" }, ...this.types.map((name) => el("option", { value: name, selected: name === (known.type ?? "string") }, name)));
    const value = el("textarea", { name: "value", rows: "3", dir: "auto", value: known.value ?? "" });
    const [suite, key] = [text("suite", known.suite), text("key", "", { dir: "auto", autofocus: true })];
    const expires = text("expires", known.expires, { placeholder: "never; or 30m, 12h, 7d, 2030-01-31 17:05" });
    const trouble = el("div", { class: "bad value", role: "alert" });
    const row = (label, control) => el("label", { class: "field" }, el("span", { class: "label" }, label), control);
    const save = async () => {
      const question = { store: place.store, suite: isNew ? suite.value : known.suite, key: isNew ? key.value : known.key, type: type.value, value: value.value, expires: expires.value.trim(),
        expected: isNew ? null : { type: known.type, value: known.value } };
      try {
        await api("put", question);
        byId("dialog").close();
        await this.show();
      } catch (error) { trouble.textContent = error.message; }
    };
    const form = el("form", { id: "key-form", onsubmit: (event) => { event.preventDefault(); save(); } },
      ...(isNew ? [row("suite", suite), row("key", key)] : []), row("type", type), row("value", value), row("expires", expires), trouble);
    ask(isNew ? "New key" : `${visible(known.key)} of ${visible(known.suite)}`, [form], [el("button", { type: "submit", form: "key-form", class: "main" }, "Save")]);
    (isNew ? key : value).focus();
  },
};

const views = [["records", "Records", records], ["schema", "Schema", schema], ["history", "History", timeline], ["conflicts", "Conflicts", conflicts], ["devices", "Devices", devices], ["integrity", "Integrity", integrity], ["keys", "Keys", suites]];
const viewOf = (name) => views.find(([key]) => key === name)?.[2] ?? records;

// ---- The frame

// A store that was named itself is known by the end of its path.
function storeText(store) {
  if (store.device) return `${store.device}: ${store.name}`;
  const parts = store.path.split("/");
  return `${parts.pop()} in ${parts.join("/") || "/"}`;
}
// Only where something changed: what has the focus or is open stays so.
function drawFrame() {
  const shown = JSON.stringify([place.view, place.store, overview.stores.map((store) => [store.path, store.device, store.name])]);
  if (drawFrame.shown === shown) return;
  drawFrame.shown = shown;
  const tabs = byId("tabs");
  const isFocused = tabs.contains(document.activeElement);
  tabs.replaceChildren(...views.map(([name, title], place_) => button(title, () => go(name), { "aria-current": place.view === name ? "page" : null, title: `${title} (${place_ + 1})` })));
  const current = tabs.querySelector("[aria-current]");
  if (isFocused) current?.focus();
  current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  byId("store").title = place.store ?? "";
  byId("store").replaceChildren(...overview.stores.map((store) => el("option", { value: store.path, selected: store.path === place.store }, storeText(store))));
}
async function go(view, show) {
  place.view = view;
  keepPlace();
  drawFrame();
  await attempt(async () => {
    const store = currentStore();
    if (store?.error && view !== "devices" && view !== "integrity") throw new Error(store.error);
    main.scrollTop = 0;
    await (show ? show() : viewOf(view).show());
  })();
}
async function loadOverview() {
  overview = await api("stores");
  if (!currentStore()) place.store = (overview.stores.find((store) => !store.error) ?? overview.stores[0])?.path ?? null;
  drawFrame();
}
byId("store").addEventListener("change", (event) => {
  place.store = event.target.value;
  [place.where, place.sort] = ["", ""];
  records.begin();
  records.closeDetail();
  go(place.view);
});

// ---- Live

// Of commits that follow each other fast the view is drawn for the last, and not more than a few times a second.
const refreshing = { timer: null, running: false, again: false };
function refreshSoon() {
  if (refreshing.running) { refreshing.again = true; return; }
  refreshing.timer ??= setTimeout(async () => {
    [refreshing.timer, refreshing.running, refreshing.again] = [null, true, false];
    try {
      await loadOverview();
      await (place.view === "records" && records.answer ? records.refresh() : viewOf(place.view).show());
      complain(null);
    } catch (error) { complain(error); }
    refreshing.running = false;
    if (refreshing.again) refreshSoon();
  }, 250);
}
function live(text, isOff) {
  byId("live").textContent = text;
  byId("live").classList.toggle("off", isOff);
}
function hear(event) {
  if (event.event === "sync") {
    devices.sync = event.sync;
    devices.drawProgress();
    if (!event.sync.running) refreshSoon();
  } else if (event.event === "stores" || event.store === place.store || place.view === "devices") refreshSoon();
}
async function listen() {
  const response = await fetch("/api/events", { headers: { "Authorization": `Bearer ${token}` } });
  if (!response.ok) throw new Error((await response.json()).error);
  live("live", false);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return null;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "))?.slice(6);
      if (!data) continue;
      if (event.startsWith("event: end")) return JSON.parse(data).reason;
      hear(JSON.parse(data));
    }
  }
}
async function follow() {
  for (let pause = 1; ; pause = Math.min(pause * 2, 15)) {
    try {
      const reason = await listen();
      if (reason) { live(reason, true); return; }
      pause = 1;
    } catch { /* The next attempt tells. */ }
    live("not connected", true);
    await new Promise((resume) => setTimeout(resume, pause * 1000));
    refreshSoon();
  }
}

// ---- Keys

const keys = [["1 … 7", "the views"], ["s", "choose the store"], ["/", "the condition"], ["j k ↓ ↑", "the next and the previous row"], ["Enter", "open the row"], ["] [", "the next and the previous page"], ["a", "a new record, or a new key"], ["e", "edit the record"], ["Esc", "close, or cancel"], ["?", "these keys"]];
function showKeys() {
  ask("Keys", [el("dl", {}, ...keys.flatMap(([key, what]) => [el("dt", {}, ...key.split(" ").map((part) => /[…]/.test(part) ? part : el("kbd", {}, part))), el("dd", {}, what)]))], []);
}
byId("help").addEventListener("click", showKeys);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("dialog").open) return;
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "Escape" && place.view === "records") {
    if (records.editing) records.cancelEdit();
    else if (records.detail) records.closeDetail();
    else if (isTyping) document.activeElement.blur();
    return;
  }
  if (isTyping) return;
  const isRow = document.activeElement?.tagName === "TR";
  const actions = {
    "?": showKeys, "s": () => byId("store").focus(), "/": () => records.parts.filter?.focus(), "j": () => records.step(1), "k": () => records.step(-1),
    "ArrowDown": isRow ? () => records.step(1) : null, "ArrowUp": isRow ? () => records.step(-1) : null, "Enter": isRow ? () => records.open(document.activeElement.dataset.key) : null,
    "]": () => records.next(), "[": () => records.previous(), "a": () => place.view === "keys" ? suites.beginNew() : records.beginInsert(), "e": () => records.beginEdit(),
  };
  const action = /^[1-7]$/.test(event.key) ? () => go(views[event.key - 1][0]) : actions[event.key];
  const isOfRecords = !/^[1-7?s]$/.test(event.key) && !(event.key === "a" && place.view === "keys");
  if (!action || (isOfRecords && place.view !== "records")) return;
  event.preventDefault();
  action();
});

(async () => {
  live("connecting", true);
  await attempt(async () => {
    await loadOverview();
    follow();
    await go(viewOf(place.view) === records ? "records" : place.view);
  })();
})();
