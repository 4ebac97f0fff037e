// Package ext has the sources of pillar beside the files: what ext_pillar names. Each is
// one file that registers itself with name, documentation and what it takes; the compiler
// of package pillar calls them in the order of the configuration and merges what they
// give.
//
// A source that fails says so by an error, which becomes an entry of _errors: Salt's own
// give nothing in most such cases, and the pillar then lacks what it should have. Sources
// of Salt's that are not here are refused by name ([Unserved]).
package ext
