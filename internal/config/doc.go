// Package config reads Salt's YAML configuration (the files master and
// minion, master.d/*.conf and minion.d/*.conf) into typed options.
//
// It promises that names, defaults and the meaning of a file are Salt's: an
// existing /etc/salt works as it is. Files are read by pyfmt, as Salt's own
// loader reads them, paths are placed under root_dir, and what Salt computes
// from other options (token_dir, the id, ...) is computed here. Where Salt is
// silent it speaks: every fault is reported at once with file and line, an
// unknown option is a warning with the nearest known name, and an option that
// is known but has no effect in this version (see NotYet) is never accepted
// in silence.
//
// The struct tags are the one table of facts about an option: yaml its name,
// default its value in the words of a configuration file, unit what a number
// means there (s, ms, min, byte), min, max and oneof what is allowed, stores that job stores which the program has are
// allowed as well.
package config
