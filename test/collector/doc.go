// Package collector tests traces against a real OpenTelemetry collector: its receiver runs in
// the process of the test. It is a module of its own, so that the collector's many modules
// are not imports of the program.
package collector
