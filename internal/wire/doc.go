// Package wire reads and writes msgpack by Salt's rules.
//
// Salt packs everything on the network with one set of rules (text and bytes both become the
// raw family, never str8 and never bin) and everything on the local event bus or on disk with
// another (str8 allowed, bytes are bin); see Salt wire reference §3. This package implements
// both, together with types for the loads that arrive many times a second, so that the hot
// paths never build maps of interfaces.
//
// It guarantees three things. Bytes from a stranger are bounds-checked before anything is
// allocated for them, so that a declared length, a nesting depth or a count of elements can
// never exhaust memory or stack: every function that accepts bytes either calls [Scan] or
// checks each value as it reads it. Nothing is lost: arbitrary bytes in a text survive
// decoding, encoding and JSON, and maps keep their order. Values that are only passed on keep
// their bytes: a [Raw] aliases the input that it was cut from, so the input must not be changed
// while the Raw is in use.
//
// A map with a duplicate key is read as in Python: the last value wins.
//
// The primitives are implemented here because the msgpack library trusts declared lengths,
// reads value by value through an io.Reader, and cannot write the raw family without str8.
package wire
