package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// ruleFaults makes findings of what a daemon under trial logs as an error in an option, such
// as an access rule that it cannot understand.
type ruleFaults struct {
	patient *patient
	attrs   []slog.Attr
}

// Enabled implements [slog.Handler].
func (*ruleFaults) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

// WithGroup implements [slog.Handler]; groups are not used.
func (h *ruleFaults) WithGroup(string) slog.Handler { return h }

// WithAttrs implements [slog.Handler].
func (h *ruleFaults) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &ruleFaults{h.patient, slices.Concat(h.attrs, attrs)}
}

// Handle implements [slog.Handler].
func (h *ruleFaults) Handle(_ context.Context, r slog.Record) error {
	attrs := slices.Clone(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	var option, place, err string
	var whose []string
	for _, a := range attrs {
		switch a.Key {
		case "option":
			option = a.Value.String()
		case "place":
			place = a.Value.String()
		case "err":
			err = ": " + a.Value.String()
		default:
			whose = append(whose, fmt.Sprintf("%s %s", a.Key, a.Value))
		}
	}
	if option == "" {
		return nil // other checks report it
	}
	h.patient.fails(option, place, "mend it", "%s: %s%s", strings.Join(whose, ", "), r.Message, err)
	return nil
}
