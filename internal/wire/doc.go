// Package wire reads and writes msgpack by Salt's rules.
//
// Salt packs everything that crosses the network with one set of rules (text
// and bytes both become the raw family, never str8 and never bin) and
// everything on the local event bus or on disk with another (str8 allowed,
// bytes are bin); see Salt wire reference §3. This package holds those rules in
// one place, together with typed forms of the loads that arrive many times a
// second, so that the hot paths never build maps of interfaces.
//
// It promises three things. Bytes from a stranger are bounds-checked before
// anything is allocated for them, so that a declared length, a nesting depth
// or a count of elements can never exhaust memory or stack: every function
// that takes bytes either calls [Scan] or checks each value as it cuts it.
// Nothing is lost: arbitrary bytes in a text survive decoding, encoding and the
// way through JSON, and maps keep their order. And values that are only passed
// on are passed on as the bytes they came as: a [Raw] aliases the input it was
// cut from, so the input must not be changed while the Raw is in use.
//
// A map that names a key twice is read as Python reads it: the last value wins.
//
// The primitives are written here, not taken from the msgpack library, because
// that library trusts declared lengths, reads value by value through an
// io.Reader, and cannot write the raw family without str8.
package wire
