package config

// Refusal is a value of a Salt option with which a daemon does not start, and the reason.
type Refusal struct {
	File   Role
	Option string
	Value  string // as in a file; an example if the reason holds for others too
	Why    string
}

// Refusals are the values in Salt's defaults, sample files or documentation that are refused
// here, because a start without their effect would silently do something else.
var Refusals = []Refusal{
	{Masters, "key_pass", "sdb://masterkeyring/key_pass", "sdb drivers are not supported"},
	{Masters, "signing_key_pass", "sdb://masterkeyring/signing_pass", "sdb drivers are not supported"},
	{Both, "transport", "tcp", "only zeromq is supported; peers would not understand each other"},
	{Minions, "master_type", "func", "it names a Python function that chooses the master"},
	{Minions, "append_minionid_config_dirs", "true", "expects option names; Salt does not start either"},
}
