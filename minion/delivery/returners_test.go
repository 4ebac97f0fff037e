package delivery

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// noted is a returner that records the user that it was opened with.
type noted struct{ returners.Saver }

func (noted) Close() error { return nil }

var users []any

func init() {
	returners.Register(returners.Driver{
		Name: "noted", Doc: "Notes noted.user.", Options: []string{"noted.user"},
		Open: func(_ context.Context, o returners.Options) (returners.Saver, error) {
			users = append(users, o.Value("noted.user"))
			return noted{}, nil
		},
	})
}

// The settings in --return_kwargs replace those of the minion for one job.
func TestReturnKwargs(t *testing.T) {
	conf := config.DefaultMinion()
	conf.Raw = map[string]any{"noted.user": "wrong", "other.noted.user": "another"}
	r := Returners{Options: conf, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	kwargs, err := wire.Encode(wire.NewMap("user", "salt"))
	if err != nil {
		t.Fatal(err)
	}
	users = nil
	for _, p := range []wire.Publication{
		{Ret: "noted"}, {Ret: "noted", RetKwargs: kwargs}, {Ret: "noted", RetConfig: "other", RetKwargs: kwargs}, {Ret: "noted", RetConfig: "other"},
	} {
		open, err := r.OpenFor(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		open.Close()
	}
	if want := []any{"wrong", "salt", "salt", "another"}; !slices.Equal(users, want) {
		t.Errorf("opened with %v, want %v", users, want)
	}
	if _, err := r.OpenFor(t.Context(), wire.Publication{Ret: "noted", RetKwargs: wire.Raw{0x93}}); err == nil {
		t.Error("settings that are no map are taken")
	}
}
