package config

import (
	"fmt"
	"maps"
	"slices"
)

// Tracing are the keys of the option tracing, with the names and defaults of Salt 3008.
type Tracing struct {
	Collector
	// Sampler is parent_based, always_on, always_off or trace_id_ratio. SamplerArg is the
	// fraction, 0 to 1, of the traces begun here that are kept.
	Sampler    string
	SamplerArg float64
}

// ReadTracing reads the option tracing. service is the default name of the daemon. As in Salt,
// an unknown sampler or exporter does not prevent the start.
func ReadTracing(conf map[string]any, service string) (Tracing, error) {
	o := Tracing{Collector: collector(service), Sampler: "parent_based", SamplerArg: 1}
	for _, key := range slices.Sorted(maps.Keys(conf)) {
		v, err := conf[key], error(nil)
		switch key {
		case "sampler":
			err = setText(v, &o.Sampler)
		case "sampler_arg":
			o.SamplerArg, err = ratio(v)
		default:
			err = o.read(key, v)
		}
		if err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
	}
	o.checkExporter("spans", "otlp-http", "console")
	switch o.Sampler {
	case "parent_based", "always_on", "always_off", "trace_id_ratio":
	default:
		o.Unknown = append(o.Unknown, fmt.Sprintf("sampler %q is unknown: parent_based is used", o.Sampler))
		o.Sampler, o.SamplerArg = "parent_based", 1
	}
	return o, nil
}

// ratio reads a number from 0 to 1.
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
