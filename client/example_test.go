package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/momtree/mom/client"
)

// open returns a client of the master of this machine.
func open() *client.Client {
	o, err := client.FromConfig("/etc/salt", nil)
	if err != nil {
		log.Fatal(err)
	}
	return client.New(o)
}

func Example() {
	c := open()
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	job, err := c.Run(ctx, client.Job{Tgt: "web*", Fun: []string{"disk.usage"}, Args: []any{"/srv"}})
	if err != nil {
		log.Fatal(err)
	}
	for id, ret := range job.Returns {
		var usage map[string]struct{ Capacity string }
		if err := ret.Value.Unmarshal(&usage); err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, usage["/srv"].Capacity)
	}
}

// Follow a job to the event with which the master closes it.
func ExampleClient_Follow() {
	c := open()
	defer c.Close()
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
	defer job.Close()
	for u, err := range job.Updates(ctx) {
		switch {
		case err != nil:
			log.Fatal(err)
		case u.Return != nil:
			fmt.Println(u.Return.ID, "returned", u.Return.Retcode)
		case u.Complete != nil:
			for id, m := range u.Complete.Missing {
				fmt.Println(id, "below", m.Path, "did not answer:", m.Reason)
			}
		}
	}
}

// Publish a job without waiting for it.
func ExampleClient_Publish() {
	c := client.New(client.Options{Addr: "127.0.0.1:4506", Cachedir: "/var/cache/salt/master"})
	defer c.Close()
	p, err := c.Publish(context.Background(), client.Job{
		Tgt: []string{"web-1", "web-2"}, TgtType: "list",
		Fun: []string{"state.apply"}, Args: []any{"nginx"}, Kwargs: map[string]any{"test": true},
		Extra: map[string]any{"metadata": "ticket 4711"},
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

// Read the results of an earlier job.
func ExampleClient_Returns() {
	c := open()
	defer c.Close()
	for ret, err := range c.Returns(context.Background(), "20260301120000000000") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ret.ID, ret.Value)
	}
}

func ExampleClient_Runner() {
	c := open()
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	v, err := c.Runner(ctx, "manage.up")
	if err != nil {
		log.Fatal(err)
	}
	var up []string
	if err := v.Unmarshal(&up); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(up), "minions are up")
}

func ExampleClient_Wheel() {
	c := open()
	defer c.Close()
	accepted, err := c.Wheel(context.Background(), "key.accept", map[string]any{"match": "web*"})
	var failed *client.WheelError
	if errors.As(err, &failed) {
		fmt.Println("the master says:", failed.Reason)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accepted)
}

// Print events of minions that connect and disconnect until the program is interrupted.
func ExampleClient_Subscribe() {
	c := open()
	defer c.Close()
	ctx := context.Background()
	events, err := c.Subscribe(ctx, "salt/presence/", "salt/minion/")
	if err != nil {
		log.Fatal(err)
	}
	defer events.Close()
	for e, err := range events.All(ctx) {
		if errors.Is(err, client.ErrBusLost) {
			log.Fatal("the master has stopped, or events came faster than they were read: ", err)
		}
		fmt.Println(e.Time.Format(time.TimeOnly), e.Tag, e.Data)
	}
}
