// Package output prints results the way Salt's outputters do.
//
// It promises the same bytes as Salt for nested, json, yaml, txt, raw, quiet
// and key, colours included, for values as the wire decodes them; maps keep
// the order they have on the wire where Salt keeps it.
package output
