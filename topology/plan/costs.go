package plan

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Cost is one unit cost.
type Cost struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	What   string  `json:"what"`
	Source string  `json:"source"`
}

// Costs are all unit costs, in the order of costs.json.
type Costs []Cost

//go:embed costs.json
var measured []byte

// Measured gives the costs that come with the program.
func Measured() Costs {
	var c Costs
	if err := json.Unmarshal(measured, &c); err != nil {
		panic(err) // the file is part of the program and tested
	}
	return c
}

// Set replaces the value of one cost and says where it comes from.
func (c Costs) Set(name string, value float64, source string) error {
	if !(value > 0) {
		return fmt.Errorf("unit cost %s is %v, must be above 0", name, value)
	}
	for i := range c {
		if c[i].Name == name {
			c[i].Value, c[i].Source = value, source
			return nil
		}
	}
	return fmt.Errorf("no unit cost is called %q; use one of: %s", name, strings.Join(c.names(), ", "))
}

func (c Costs) names() []string {
	out := make([]string, len(c))
	for i := range c {
		out[i] = c[i].Name
	}
	return out
}

// Service is how long a node of so many processors takes for a return of a minion,
// for one in a batch of a node below, and to hand a publication to one subscriber.
func (c Costs) Service(cores int) (ret, hop, subscriber time.Duration) {
	row, each := c.of("row_cpu"), float64(max(cores, 1))
	d := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	batch := c.of("codec_cpu") + row
	return d(max(row, (c.of("request_cpu")+batch)/each)), d(max(row, batch/each)), d(c.of("subscriber_time"))
}

// of gives a cost by name.
func (c Costs) of(name string) float64 {
	for i := range c {
		if c[i].Name == name {
			return c[i].Value
		}
	}
	panic("plan: no unit cost " + name) // a name of this package that its own table lacks
}
