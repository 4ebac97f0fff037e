// Package output prints results the way Salt's outputters do.
//
// The output has the same bytes as Salt's for nested, highstate, json, yaml, txt, raw, quiet
// and key, including colours, for values as decoded by package wire. Maps keep their wire order
// where Salt keeps it. Unlike in Salt, characters that a terminal would execute are shown as a
// mark: no text from a minion controls the terminal (package terminal).
package output
