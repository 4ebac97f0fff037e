package cluster

import "github.com/momtree/mom/topology"

// Tops returns the other tops as the tree shows them, in the order of cluster_peers; none without a
// cluster.
func (s *Service) Tops() (out []topology.Top) {
	if s == nil {
		return nil
	}
	for _, st := range s.Status() {
		x := topology.Top{ID: st.ID, Addr: st.Addr, Version: st.Version, State: topology.Down, Since: st.Since, Behind: st.Behind, Why: st.Why}
		if st.Up {
			x.State = topology.Up
		}
		out = append(out, x)
	}
	return out
}
