package config

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/python"
)

// Metrics are the keys below the option metrics, with the names and defaults of Salt 3008
// (salt/utils/metrics.py).
type Metrics struct {
	Enabled bool
	// Exporter is otlp-http, console or prometheus.
	Exporter string
	// Endpoint is the URL of a collector, such as http://collector:4318/v1/metrics. "": the
	// default of OpenTelemetry, which the environment may set (OTEL_EXPORTER_OTLP_ENDPOINT).
	Endpoint string
	// Headers go with each request to the collector.
	Headers map[string]string
	// Service is the name of the daemon in metrics: service_name.
	Service string
	// Resource are further attributes of the daemon: resource_attributes.
	Resource map[string]string
	// Interval is the time between two exports: export_interval_seconds. Default 60 s.
	Interval time.Duration
	// Listen is the address, host:port, of exporter prometheus. Default 127.0.0.1:9464.
	Listen string
	// Unknown are keys and words that this version does not know, each with what is done.
	Unknown []string
}

// ReadMetrics reads the option metrics. service is the name of the daemon unless the option
// has one. As in Salt an unknown exporter does not prevent the start.
func ReadMetrics(conf map[string]any, service string) (Metrics, error) {
	o := Metrics{Exporter: "otlp-http", Service: service, Interval: time.Minute, Listen: "127.0.0.1:9464"}
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
		case "resource_attributes":
			o.Resource, err = texts(v)
		case "headers":
			o.Headers, err = texts(v)
		case "export_interval_seconds":
			o.Interval, err = interval(v)
		case "prometheus":
			o.Listen, err = prometheusAddr(v)
		case "insecure": // of otlp-grpc alone
		case "histogram_boundaries":
			o.Unknown = append(o.Unknown, "histogram_boundaries has no effect: the buckets are fixed")
		default:
			o.Unknown = append(o.Unknown, key+" is unknown")
		}
		if err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
	}
	switch o.Exporter {
	case "otlp-http", "console", "prometheus":
	case "otlp-grpc":
		o.Unknown = append(o.Unknown, "exporter otlp-grpc is not served: no metrics are sent; otlp-http is, port 4318 of a collector")
	default:
		o.Unknown = append(o.Unknown, fmt.Sprintf("exporter %q is unknown: no metrics are sent", o.Exporter))
	}
	return o, nil
}

// interval reads a number of seconds; none and 0 are the default of a minute.
func interval(v any) (time.Duration, error) {
	var s float64
	switch v := v.(type) {
	case nil:
	case float64:
		s = v
	case int64:
		s = float64(v)
	default:
		return 0, fmt.Errorf("wants a number of seconds, has %T", v)
	}
	switch {
	case s == 0:
		return time.Minute, nil
	case !(s >= 1 && s <= 86400):
		return 0, fmt.Errorf("wants 1 to 86400 seconds, has %v", s)
	}
	return time.Duration(s * float64(time.Second)), nil
}

// prometheusAddr reads {host: , port: }.
func prometheusAddr(v any) (string, error) {
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		return "", fmt.Errorf("wants host and port, has %T", v)
	}
	host, port := "127.0.0.1", int64(9464)
	if err := setText(m["host"], &host); err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	switch p := m["port"].(type) {
	case nil:
	case int64:
		port = p
	default:
		return "", fmt.Errorf("port: wants a number, has %T", p)
	}
	if port < 1 || port > 65535 {
		return "", fmt.Errorf("port: wants 1 to 65535, has %d", port)
	}
	return net.JoinHostPort(host, strconv.FormatInt(port, 10)), nil
}
