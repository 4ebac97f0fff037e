package config

import (
	"fmt"
	"slices"

	"github.com/momtree/mom/salt/pyfmt"
)

// Collector are the common keys of the options tracing and metrics: where the daemon sends its
// data, and under which name.
type Collector struct {
	Enabled bool
	// Exporter is otlp-http or console; for metrics also prometheus.
	Exporter string
	// Endpoint is a URL, such as http://collector:4318/v1/traces. "" means the default of
	// OpenTelemetry, which the environment can set (OTEL_EXPORTER_OTLP_ENDPOINT).
	Endpoint string
	// Headers are sent with each request. They may contain a token, so they are not shown.
	Headers map[string]string
	// Service is the name of the daemon: service_name.
	Service string
	// Resource are further attributes of the daemon: resource_attributes.
	Resource map[string]string
	// Unknown are warnings about keys and words that this version does not know.
	Unknown []string
}

func collector(service string) Collector { return Collector{Exporter: "otlp-http", Service: service} }

// read reads one key.
func (c *Collector) read(key string, v any) (err error) {
	switch key {
	case "enabled":
		c.Enabled = pyfmt.Truth(v)
	case "exporter":
		err = setText(v, &c.Exporter)
	case "endpoint":
		err = setText(v, &c.Endpoint)
	case "service_name":
		err = setText(v, &c.Service)
	case "resource_attributes":
		c.Resource, err = texts(v)
	case "headers":
		c.Headers, err = texts(v)
	case "insecure": // of otlp-grpc only
	default:
		c.Unknown = append(c.Unknown, key+" is unknown")
	}
	return err
}

// checkExporter adds a warning for an unknown exporter. what names the data that is then not
// sent.
func (c *Collector) checkExporter(what string, known ...string) {
	switch {
	case slices.Contains(known, c.Exporter):
	case c.Exporter == "otlp-grpc":
		c.Unknown = append(c.Unknown, "exporter otlp-grpc is not served: no "+what+" are sent; otlp-http is, port 4318 of a collector")
	default:
		c.Unknown = append(c.Unknown, fmt.Sprintf("exporter %q is unknown: no %s are sent", c.Exporter, what))
	}
}

// setText sets a string; an empty or missing one keeps the default.
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

// texts reads a map of strings; it converts numbers.
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
