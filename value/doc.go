// Package value has the values that Salt's programs exchange, as Go values: what a
// function is given, what it returns, what an event holds.
//
// They are nil, bool, int64, uint64 (of numbers no int64 holds), float64, string (of
// any bytes), []byte (of what was packed as bytes), [time.Time], []any, [*Map], [Const]
// and [Ext]. A Map keeps the order of its keys, as Python's does; who does not need
// that takes [Plain].
package value
