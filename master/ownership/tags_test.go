package ownership

import "testing"

func TestMayFire(t *testing.T) {
	for tag, want := range map[string]bool{
		"custom/tag": true, "minion_start": true, "salt/minion/m1/start": true, "salt/beacon/m1/load/": true,
		"salt/job/20240102030405678901/prog/m1/0": true, "minion/refresh/m1": true,

		"salt/minion/m2/start": false, "salt/beacon/m2/load/": false, "minion/refresh/m2": false,
		"salt/job/20240102030405678901/ret/m1":         false,
		"salt/job/20240102030405678901/ret/m2/prog/m1": false,
		"salt/job/20240102030405678901/ret/prog/m1/0":  false,
		"salt/job/20240102030405678901/prog/m2/0":      false,
		"salt/job/20240102030405678901/complete":       false,
		"salt/job/20240102030405678901/new":            false,
		"20240102030405678901":                         false,
		"key":                                          false, "salt/key": false, "salt/auth": false, "salt/run/1/ret": false, "salt/wheel/1/ret": false,
		"syndic/n1/x": false, "salt/syndic/n1/start": false, "salt/presence/present": false, "topology/x": false,
		"mom/audit": false, "salt/cloud/x": false,
	} {
		if got := MayFire("m1", tag); got != want {
			t.Errorf("m1 may fire %s: %v", tag, got)
		}
	}
}
