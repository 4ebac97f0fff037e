// Package export makes tracers that send their spans to an OpenTelemetry collector. It is
// separate from package tracing, so that packages that only pass a trace on, such as client, do
// not link OpenTelemetry's SDK and exporters.
package export

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/tracing"
)

// New returns a tracer, or nil if tracing is off or its exporter unknown. id is
// service.instance.id, which distinguishes the daemons of one service. Spans are sent in the
// background; if the collector is unavailable or slow, spans are lost and nothing waits.
func New(ctx context.Context, o config.Tracing, id, version string, log *slog.Logger) (*tracing.Tracer, error) {
	if !o.Enabled {
		return nil, nil
	}
	for _, what := range o.Unknown {
		log.Warn("tracing option ignored", "reason", what)
	}
	var out sdk.SpanExporter
	var err error
	switch o.Exporter {
	case "otlp-http":
		var opts []otlptracehttp.Option
		if o.Endpoint != "" {
			opts = append(opts, otlptracehttp.WithEndpointURL(o.Endpoint))
		}
		if len(o.Headers) > 0 {
			opts = append(opts, otlptracehttp.WithHeaders(o.Headers))
		}
		out, err = otlptracehttp.New(ctx, opts...)
	case "console":
		out, err = stdouttrace.New(stdouttrace.WithWriter(os.Stdout))
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("tracing: exporter %s, endpoint %q: %w", o.Exporter, o.Endpoint, err)
	}
	log.Info("sending traces", "exporter", o.Exporter, "endpoint", o.Endpoint, "sampler", o.Sampler, "sampler_arg", o.SamplerArg)
	return newTracer(o, id, version, sdk.WithBatcher(out)), nil
}

// NewWith returns a tracer that passes each span to an exporter when it ends: for tests.
// sampler is as in the option tracing; "" means parent_based with all.
func NewWith(out sdk.SpanExporter, service, sampler string) *tracing.Tracer {
	return newTracer(config.Tracing{Collector: config.Collector{Service: service}, Sampler: sampler, SamplerArg: 1}, "", "", sdk.WithSyncer(out))
}

func newTracer(o config.Tracing, id, version string, to sdk.TracerProviderOption) *tracing.Tracer {
	attrs := []attribute.KeyValue{attribute.String("service.name", o.Service), attribute.String("service.instance.id", id), attribute.String("service.version", version)}
	for k, v := range o.Resource {
		attrs = append(attrs, attribute.String(k, v))
	}
	how, parentBased := sampler(o)
	p := sdk.NewTracerProvider(to, sdk.WithResource(resource.NewSchemaless(attrs...)), sdk.WithSampler(how))
	return tracing.New(p.Tracer("mom"), parentBased, p.Shutdown)
}

func sampler(o config.Tracing) (how sdk.Sampler, parentBased bool) {
	switch o.Sampler {
	case "always_on":
		return sdk.AlwaysSample(), false
	case "always_off":
		return sdk.NeverSample(), true
	case "trace_id_ratio":
		return sdk.TraceIDRatioBased(o.SamplerArg), false
	default:
		return sdk.ParentBased(sdk.TraceIDRatioBased(o.SamplerArg)), true
	}
}
