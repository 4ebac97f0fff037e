package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/python"
)

// Tracing are the keys below the option tracing, with the names and defaults of Salt 3008.
type Tracing struct {
	Enabled bool
	// Exporter is otlp-http or console.
	Exporter string
	// Endpoint is the URL of a collector, such as http://collector:4318/v1/traces. "": the
	// default of OpenTelemetry, which the environment may set (OTEL_EXPORTER_OTLP_ENDPOINT).
	Endpoint string
	// Headers go with each request to the collector.
	Headers map[string]string
	// Service is the name of the daemon in traces: service_name.
	Service string
	// Sampler is parent_based, always_on, always_off or trace_id_ratio; SamplerArg is the
	// share, 0 to 1, of traces that begin here and are kept.
	Sampler    string
	SamplerArg float64
	// Resource are further attributes of the daemon: resource_attributes.
	Resource map[string]string
	// Unknown are keys and words that this version does not know, each with what is done.
	Unknown []string
}

// ReadTracing reads the option tracing. service is the name of the daemon unless the option has one.
// As in Salt an unknown sampler or exporter does not prevent the start.
func ReadTracing(conf map[string]any, service string) (Tracing, error) {
	o := Tracing{Exporter: "otlp-http", Service: service, Sampler: "parent_based", SamplerArg: 1}
	for _, key := range slices.Sorted(maps.Keys(conf)) {
		v, err := conf[key], error(nil)
		switch key {
		case "enabled":
			o.Enabled = python.Truth(v)
		case "exporter":
			err = setText(v, &o.Exporter)
		case "endpoint":
			err = setText(v, &o.Endpoint)
		case "service_name":
			err = setText(v, &o.Service)
		case "sampler":
			err = setText(v, &o.Sampler)
		case "sampler_arg":
			o.SamplerArg, err = ratio(v)
		case "resource_attributes":
			o.Resource, err = texts(v)
		case "headers":
			o.Headers, err = texts(v)
		case "insecure": // of otlp-grpc alone
		default:
			o.Unknown = append(o.Unknown, key+" is unknown")
		}
		if err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
	}
	switch o.Exporter {
	case "otlp-http", "console":
	case "otlp-grpc":
		o.Unknown = append(o.Unknown, "exporter otlp-grpc is not served: no spans are sent; otlp-http is, port 4318 of a collector")
	default:
		o.Unknown = append(o.Unknown, fmt.Sprintf("exporter %q is unknown: no spans are sent", o.Exporter))
	}
	switch o.Sampler {
	case "parent_based", "always_on", "always_off", "trace_id_ratio":
	default:
		o.Unknown = append(o.Unknown, fmt.Sprintf("sampler %q is unknown: parent_based is used", o.Sampler))
		o.Sampler, o.SamplerArg = "parent_based", 1
	}
	return o, nil
}

// setText takes a text; an empty one and none leave the default.
func setText(v any, to *string) error {
	switch v := v.(type) {
	case nil:
	case string:
		if v != "" {
			*to = v
		}
	default:
		return fmt.Errorf("wants a text, has %T", v)
	}
	return nil
}

// ratio reads a number of 0 to 1.
func ratio(v any) (float64, error) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		f = float64(v)
	default:
		return 0, fmt.Errorf("wants a number of 0 to 1, has %T", v)
	}
	if !(f >= 0 && f <= 1) {
		return 0, fmt.Errorf("wants a number of 0 to 1, has %v", f)
	}
	return f, nil
}

// texts reads a map of texts; numbers count as such.
func texts(v any) (map[string]string, error) {
	if v == nil {
		return nil, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("wants a map of names to texts, has %T", v)
	}
	out := map[string]string{}
	for k, v := range m {
		switch v := v.(type) {
		case string:
			out[k] = v
		case int64, float64, bool:
			out[k] = fmt.Sprint(v)
		default:
			return nil, fmt.Errorf("%s wants a text, has %T", k, v)
		}
	}
	return out, nil
}
