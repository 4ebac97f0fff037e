package salt

import (
	"fmt"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/command"
)

// traced does the call in a span, with which the trace of its job begins, if the master's
// configuration on this machine has tracing on.
func (r *call) traced(w *command.Work, conf command.Configuration) error {
	fun := ""
	if len(r.job.Fun) > 0 {
		fun = r.job.Fun[0]
	}
	attrs := map[string]string{"salt.cli.tgt": fmt.Sprint(r.job.Tgt), "salt.cli.fun": fun}
	return client.Traced(w.Cmd.Context(), conf.Get, command.Version(w.Cmd), "salt.cli."+fun, attrs, r.log, r.do)
}
