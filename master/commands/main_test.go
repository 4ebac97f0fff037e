package commands

import (
	"log/slog"
)

var quiet = slog.New(slog.DiscardHandler)
