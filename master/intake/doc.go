// Package intake receives what minions and nodes below send: returns, which are acknowledged after
// they are stored, and events, including the reports of nodes. It checks with the policy
// (master/ownership) who may report for whom, passes returns and reports to the engine
// (master/engine), and fires everything else on the bus.
package intake
