// Package pyfmt reads and writes text as Python does where Salt shows it: the str and repr
// of a value, JSON, pprint, and YAML 1.1 with the rules of Salt's loader (leading zeros are
// dropped, dates stay text, a duplicate key is an error). Options, grains, arguments of a
// command line, targets and results depend on it, so its output is part of mom's behaviour.
//
// It imports nothing of mom but package value.
package pyfmt
