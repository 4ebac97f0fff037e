package salt

import (
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/tracing/export"
	"github.com/momtree/mom/mom/command"
)

// traced does the call in a span, with which the trace of its job begins, if the master's
// configuration on this machine has tracing on. A collector that is away is logged.
func (r *call) traced(w *command.Work, conf command.Configuration) error {
	ctx := w.Cmd.Context()
	v, _ := conf.Get("tracing")
	section, _ := v.(map[string]any)
	o, err := config.ReadTracing(section, "salt")
	if err != nil {
		return fmt.Errorf("tracing: %w", err)
	}
	t, err := export.New(ctx, o, "", command.Version(w.Cmd), r.log)
	if err != nil {
		return err
	}
	if !t.On() {
		return r.do(ctx)
	}
	fun := ""
	if len(r.job.Fun) > 0 {
		fun = r.job.Fun[0]
	}
	ctx, span := t.Start(ctx, "salt.cli."+fun, trace.SpanKindInternal,
		attribute.String("salt.cli.tgt", fmt.Sprint(r.job.Tgt)), attribute.String("salt.cli.fun", fun))
	err = r.do(ctx)
	span.End(err)
	if lost := t.Close(); lost != nil {
		r.log.Warn("spans were lost", "err", lost)
	}
	return err
}
