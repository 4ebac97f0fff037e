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

// Measured returns the built-in costs.
func Measured() Costs {
	var c Costs
	if err := json.Unmarshal(measured, &c); err != nil {
		panic(err) // the embedded file is tested
	}
	return c
}

// Set replaces the value and source of one cost.
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
	return fmt.Errorf("unknown unit cost %q; use one of: %s", name, strings.Join(c.names(), ", "))
}

func (c Costs) names() []string {
	out := make([]string, len(c))
	for i := range c {
		out[i] = c[i].Name
	}
	return out
}

// Service returns the service times of a node with that many cores: for a minion's return, for a
// return in a batch from below, and for sending a publication to one subscriber.
func (c Costs) Service(cores int) (ret, hop, subscriber time.Duration) {
	row, each := c.of("row_cpu"), float64(max(cores, 1))
	d := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	batch := c.of("codec_cpu") + row
	return d(max(row, (c.of("request_cpu")+batch)/each)), d(max(row, batch/each)), d(c.of("subscriber_time"))
}

// of returns a cost by name.
func (c Costs) of(name string) float64 {
	for i := range c {
		if c[i].Name == name {
			return c[i].Value
		}
	}
	panic("plan: no unit cost " + name) // missing in the embedded table
}
