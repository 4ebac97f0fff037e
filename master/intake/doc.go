// Package intake takes what minions and nodes below bring: returns, which are
// acknowledged when they are stored, and events, among them what nodes say of jobs. It
// asks the policy (master/ownership) who may speak for whom, gives returns and words to
// the engine (master/engine), and fires all else on the bus.
package intake
