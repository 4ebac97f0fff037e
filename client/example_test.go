package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// A job is followed to the event with which the master's ledger closes it.
func ExampleClient_Follow() {
	conf, _, err := config.LoadMaster("/etc/salt")
	if err != nil {
		log.Fatal(err)
	}
	c := client.New(client.FromMaster(conf))
	defer c.Close() //nolint:errcheck // nothing is under way any more
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	job, err := c.Follow(ctx, client.Job{Tgt: "web*", Fun: []string{"test.ping"}})
	if errors.Is(err, client.ErrNoMatch) {
		fmt.Println("there are no such minions")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer job.Close() //nolint:errcheck // read only
	for {
		u, err := job.Next(ctx)
		switch {
		case err != nil:
			log.Fatal(err)
		case u.Return != nil:
			fmt.Println(u.Return.ID, "returned", u.Return.Retcode)
		case u.Complete != nil:
			for id, m := range u.Complete.Missing {
				fmt.Println(id, "below", m.Path, "did not answer:", m.Reason)
			}
			return
		}
	}
}

// A job is published for somebody else to look at later.
func ExampleClient_Publish() {
	c := client.New(client.Options{Addr: "127.0.0.1:4506", KeyDir: "/var/cache/salt/master"})
	defer c.Close() //nolint:errcheck // nothing is under way any more
	p, err := c.Publish(context.Background(), client.Job{
		Tgt: []string{"web-1", "web-2"}, TgtType: "list",
		Fun: []string{"state.apply"}, Arg: []any{"nginx", wire.NewMap("__kwarg__", true, "test", true)},
	})
	var refused *client.Refused
	switch {
	case errors.As(err, &refused):
		fmt.Println("no permission:", refused.Message)
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println("see: salt-run jobs.lookup_jid", p.JID)
	}
}

func ExampleClient_Runner() {
	c := client.New(client.Options{Addr: "127.0.0.1:4506", KeyDir: "/var/cache/salt/master"})
	defer c.Close() //nolint:errcheck // nothing is under way any more
	up, err := c.Runner(context.Background(), "manage.up", nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(up)
}

func ExampleClient_Wheel() {
	c := client.New(client.Options{Addr: "127.0.0.1:4506", KeyDir: "/var/cache/salt/master"})
	defer c.Close() //nolint:errcheck // nothing is under way any more
	accepted, err := c.Wheel(context.Background(), "key.accept", wire.NewMap("match", "web*"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accepted)
}
