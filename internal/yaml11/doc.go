// Package yaml11 reads and writes YAML as Salt's loader and dumper do: YAML 1.1
// with Salt's own rules (leading zeros are dropped, dates stay text, a key that is
// there twice is an error). It is the one place that knows them: options, static
// grains, words of a command line and keys of a path are read by it.
package yaml11
