// Package tracing makes OpenTelemetry traces of jobs, as Salt 3008 does
// (salt/utils/tracing.py): the context of a trace travels as traceparent and tracestate
// (W3C Trace Context) at the top level of request loads, publications and events, so daemons
// of Salt and of mom in one tree add their spans to one trace. It is off by default.
package tracing
