// Package tracing makes OpenTelemetry traces of jobs like Salt 3008 (salt/utils/tracing.py):
// the context of a trace is sent as traceparent and tracestate (W3C Trace Context) at the top
// level of request loads, publications and events, so daemons of Salt and of mom in one tree
// add their spans to one trace. It is off by default.
package tracing
