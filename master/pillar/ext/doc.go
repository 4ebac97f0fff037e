// Package ext holds the sources of pillar that ext_pillar names. Each is a file that registers
// itself with name, documentation and arguments. The compiler of package pillar calls them in the
// order of the configuration and merges their results.
//
// A source that fails returns an error, which becomes an entry of _errors. Salt's sources return
// nothing in most such cases, which leaves the pillar incomplete. Sources of Salt's that are
// missing here are refused by name ([Unserved]).
package ext
