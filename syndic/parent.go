package syndic

import (
	"context"
	"log/slog"
	"sync"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/publications"
	"github.com/momtree/mom/syndic/returns"
	"github.com/momtree/mom/syndic/siblings"
)

// parent is one parent: its connection, and the parts that use it.
type parent struct {
	*link.Link
	name         string // as in the configuration
	host         string
	sibling      bool // a sibling of the configured parent
	ch           *channel.Channel
	log          *slog.Logger
	events       *events.Uplink
	returns      *returns.Sender
	publications *publications.Stream
	siblings     *siblings.Asker
}

func (p *parent) run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { p.events.Run(ctx) })
	wg.Go(func() { p.returns.Run(ctx) })
	wg.Go(func() { p.publications.Run(ctx) })
	wg.Go(func() { p.siblings.Run(ctx) })
	p.Link.Run(ctx, link.Parts{
		Publications: p.publications,
		Greeted:      func() { p.events.ReportAgain(false) },
		Up: func() {
			p.siblings.Soon(0)
			p.returns.Back()
			p.events.Back()
		},
	})
	wg.Wait()
}
