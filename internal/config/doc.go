// Package config reads Salt's YAML configuration (the files master and minion, master.d/*.conf
// and minion.d/*.conf) into typed options.
//
// Names, defaults and the meaning of a file are Salt's: an existing /etc/salt works unchanged.
// Files are parsed by pyfmt like Salt's own loader parses them, paths are placed under
// root_dir, and options that Salt computes from others (token_dir, the id, ...) are computed
// here. Unlike Salt, the package reports every fault at once with file and line, warns about an
// unknown option with the nearest known name, and warns about a known option that has no effect
// in this version (see NotYet).
//
// The struct tags are the only table of facts about an option: yaml is its name, default its
// value as in a configuration file, unit the unit of a number (s, ms, min, byte), and min, max
// and oneof are the allowed values. returners allows those of registered returners, too: jobs those of
// job stores, events those that keep events.
package config
