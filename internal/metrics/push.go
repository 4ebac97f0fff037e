package metrics

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/momtree/mom/internal/config"
)

// lastPush bounds sending the last metrics to the collector.
const lastPush = 5 * time.Second

// Pusher periodically sends the metrics of a daemon to an OpenTelemetry collector.
type Pusher struct {
	provider *sdk.MeterProvider
	sources  []Source
}

// NewPusher returns a Pusher for a daemon with a role, an id and a version. Run sends the
// metrics. An unreachable collector costs metrics, and nothing else.
func NewPusher(ctx context.Context, o config.Metrics, role, id, version string, sources ...Source) (*Pusher, error) {
	var out sdk.Exporter
	var err error
	switch o.Exporter {
	case "otlp-http":
		var opts []otlpmetrichttp.Option
		if o.Endpoint != "" {
			opts = append(opts, otlpmetrichttp.WithEndpointURL(o.Endpoint))
		}
		if len(o.Headers) > 0 {
			opts = append(opts, otlpmetrichttp.WithHeaders(o.Headers))
		}
		out, err = otlpmetrichttp.New(ctx, opts...)
	case "console":
		out, err = stdoutmetric.New(stdoutmetric.WithWriter(os.Stdout))
	default:
		err = errors.New("it does not push metrics")
	}
	if err != nil {
		return nil, fmt.Errorf("metrics: exporter %s, endpoint %q: %w", o.Exporter, o.Endpoint, err)
	}
	attrs := []attribute.KeyValue{
		attribute.String("service.name", o.Service), attribute.String("service.instance.id", id), attribute.String("service.version", version),
	}
	for k, v := range o.Resource {
		attrs = append(attrs, attribute.String(k, v))
	}
	reader := sdk.NewPeriodicReader(out, sdk.WithInterval(o.Interval),
		sdk.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(registry(role, version, sources...)))))
	return &Pusher{
		provider: sdk.NewMeterProvider(sdk.WithReader(reader), sdk.WithResource(resource.NewSchemaless(attrs...))), sources: sources,
	}, nil
}

// Idle returns sources without Run, for a second reader of the same ones.
func Idle(sources []Source) []Source {
	out := slices.Clone(sources)
	for i := range out {
		out[i].Run = nil
	}
	return out
}

// Run sends metrics until ctx ends, then once more.
func (p *Pusher) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, src := range p.sources {
		if src.Run != nil {
			wg.Go(func() { src.Run(ctx) })
		}
	}
	<-ctx.Done()
	wg.Wait()
	return p.Close()
}

// Close sends the current metrics and stops.
func (p *Pusher) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastPush)
	defer cancel()
	if err := p.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("metrics: send the last ones: %w", err)
	}
	return nil
}
