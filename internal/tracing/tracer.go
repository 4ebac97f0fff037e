package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/config"
)

// closePatience is how long the last spans may take to reach the collector.
const closePatience = 5 * time.Second

// Tracer makes the spans of one daemon and sends them. A nil Tracer makes none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// New makes a tracer, or nil where tracing is off or its exporter unknown. id tells daemons of
// one service apart: service.instance.id. Spans are sent in the background; a collector that is away or slow costs spans, and never waits.
func New(ctx context.Context, o config.Tracing, id, version string, log *slog.Logger) (*Tracer, error) {
	if !o.Enabled {
		return nil, nil
	}
	for _, what := range o.Unknown {
		log.Warn("tracing: " + what)
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

// NewWith makes a tracer whose spans go to an exporter as they end: for tests.
func NewWith(out sdk.SpanExporter, service string) *Tracer {
	return newTracer(config.Tracing{Collector: config.Collector{Service: service}, Sampler: "parent_based", SamplerArg: 1}, "", "", sdk.WithSyncer(out))
}

func newTracer(o config.Tracing, id, version string, to sdk.TracerProviderOption) *Tracer {
	attrs := []attribute.KeyValue{attribute.String("service.name", o.Service), attribute.String("service.instance.id", id), attribute.String("service.version", version)}
	for k, v := range o.Resource {
		attrs = append(attrs, attribute.String(k, v))
	}
	p := sdk.NewTracerProvider(to, sdk.WithResource(resource.NewSchemaless(attrs...)), sdk.WithSampler(sampler(o)))
	return &Tracer{provider: p, tracer: p.Tracer("mom")}
}

func sampler(o config.Tracing) sdk.Sampler {
	switch o.Sampler {
	case "always_on":
		return sdk.AlwaysSample()
	case "always_off":
		return sdk.NeverSample()
	case "trace_id_ratio":
		return sdk.TraceIDRatioBased(o.SamplerArg)
	default:
		return sdk.ParentBased(sdk.TraceIDRatioBased(o.SamplerArg))
	}
}

// Close sends what is left.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("tracing: send the last spans: %w", err)
	}
	return nil
}
