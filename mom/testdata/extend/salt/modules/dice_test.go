package modules

import "testing"

func TestExtend_Dice(t *testing.T) {
	if shown := answer(t, "dice.roll", int64(2), "sides=1").([]any); len(shown) != 2 {
		t.Errorf("%v", shown)
	}
	if r := run(t, newEnv(), "dice.roll", int64(0)); r.Success {
		t.Errorf("%v", r.Value)
	}
}
