// The returns of one job as they arrive. A page cannot hold all of a job of 100,000 minions:
// each minion has a short row, and the first returns have their values, failed ones before the
// others.

import { brief, weight } from "./viewkit.js";

// The bounds: rows, whole values, and their approximate characters.
const maxRows = 200_000;
const maxValues = 5_000;
const maxWeight = 32 << 20;

// Returns holds rows {id, failed, retcode, line, held, value, trimmed} in order of arrival.
export class Returns {
  constructor() {
    this.rows = [];
    this.byId = new Map();
    this.failed = 0;
    this.over = 0; // returns beyond maxRows
    this.values = 0;
    this.weight = 0;
    this.oldest = 0; // all rows before it have no value that may be dropped
  }

  // add adds a return. It returns false for a duplicate: a reopened stream sends all again.
  add(id, { value, retcode = 0, success = true, trimmed = false }) {
    if (this.byId.has(id)) return false;
    if (this.rows.length >= maxRows) {
      this.over++;
      return true;
    }
    const failed = success === false || retcode !== 0;
    const row = { id, failed, retcode, line: trimmed ? "too large for an event" : brief(value), held: false, trimmed, value: undefined, weight: 0 };
    if (failed) this.failed++;
    this.rows.push(row);
    this.byId.set(id, row);
    if (!trimmed) this.hold(row, value);
    return true;
  }

  // again is called when the stream starts again. It sends all returns again, also those
  // beyond the bound, which are only counted.
  again() {
    this.over = 0;
  }

  // hold keeps the value of a row if there is room, or if a failed return can replace
  // successful ones.
  hold(row, value) {
    const w = weight(value, maxWeight);
    while (this.values >= maxValues || this.weight + w > maxWeight) {
      if (!row.failed || !this.drop()) return;
    }
    row.held = true;
    row.value = value;
    row.weight = w;
    this.values++;
    this.weight += w;
  }

  drop() {
    for (; this.oldest < this.rows.length; this.oldest++) {
      const row = this.rows[this.oldest];
      if (!row.held || row.failed) continue;
      row.held = false;
      row.value = undefined;
      this.values--;
      this.weight -= row.weight;
      return true;
    }
    return false;
  }

  // pick returns the rows that match a filter.
  pick(text, failedOnly) {
    const part = text.trim().toLowerCase();
    if (!part && !failedOnly) return this.rows;
    return this.rows.filter((row) => (!failedOnly || row.failed) && (!part || row.id.toLowerCase().includes(part)));
  }
}
