package modules

import (
	"context"
	"strconv"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
)

func init() {
	Register("dnsutil", Function{Name: "serial", Args: []Arg{{Name: "zone", Default: ""}, {Name: "update", Default: false}}, Run: dnsSerial, Doc: `
Return the serial number for a zone file: the grain dnsserial_ZONE (dnsserial
without a zone), or today's date and 01. update=True increments the number,
starting with today's date, and stores it in the grain.

CLI Example:

    salt '*' dnsutil.serial example.com
`})
}

func dnsSerial(ctx context.Context, c *Call) (any, error) {
	key := "dnsserial"
	if zone := PyStr(c.Value("zone")); zone != "" {
		key += "_" + zone
	}
	stored, _ := Traverse(c.Env.Grains(), key, ":")
	present := time.Now().Format("20060102") + "01"
	if !c.IsTrue("update") {
		if pyfmt.Truth(stored) {
			return stored, nil
		}
		return present, nil
	}
	current := present
	if old := PyStr(stored); pyfmt.Truth(stored) && old >= present {
		n, err := strconv.ParseInt(old, 10, 64)
		if err != nil {
			return nil, CommandErrorf("the grain %s is not a serial number: %s", key, old)
		}
		current = strconv.FormatInt(n+1, 10)
	}
	res := Execute(ctx, c.Env, Invocation{Fun: "grains.setval", Args: []any{key, current}, JID: c.JID})
	return current, res.Err
}
