package master

import "github.com/momtree/mom/master/ledger"

// talksUnannounced has a peer that is known to announce itself, is gone, and now talks
// without that, taken for one of Python's in its place. Only a request that proves its key
// tells that: a sign-in can be made with the public key alone.
func (m *Master) talksUnannounced(id string) {
	if m.presence.Live(id) == ledger.Down {
		m.presence.Forget(id)
	}
}

// lookAtRoles follows what operators admit and withdraw.
func (m *Master) lookAtRoles() {
	if changed := m.policy.Look(); len(changed) > 0 {
		m.failover.AdmissionsChanged(changed)
	}
}
