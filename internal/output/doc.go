// Package output prints results the way Salt's outputters do.
//
// It promises the same bytes as Salt for nested, highstate, json, yaml, txt, raw,
// quiet and key, colours included, for values as the wire decodes them; maps keep
// the order they have on the wire where Salt keeps it.
// What a terminal would obey is shown as a mark, which Salt lets through: nothing that
// a minion wrote steers the terminal (package terminal).
package output
